#include <gtest/gtest.h>
#include <freehold/core/platform/thread_state.hpp>

#include <thread>

TEST(thread_state, a_thread_knows_that_it_is_not_alone) {
    bool alone = true;
    std::thread([&] { alone = freehold::detail::is_single_threaded(); }).join();
    EXPECT_FALSE(alone);
}

TEST(thread_state, the_first_thread_sees_the_second_at_once) {
    std::thread second([] {});
    EXPECT_FALSE(freehold::detail::is_single_threaded());
    second.join();
}

#if __has_include(<sys/single_threaded.h>)
TEST(thread_state, a_process_begins_with_one_thread) {
    if (testing::UnitTest::GetInstance()->test_to_run_count() > 1) GTEST_SKIP() << "needs a process of its own";
    EXPECT_TRUE(freehold::detail::is_single_threaded());
}
#endif

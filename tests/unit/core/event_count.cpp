// That no wake-up is lost is tested in memory_model/event_count.cpp.

#include <gtest/gtest.h>
#include <freehold/core/event_count.hpp>

#include <atomic>
#include <thread>

TEST(event_count, a_thread_waits_until_the_condition_holds) {
    for (const bool is_expected_soon : {true, false}) {
        freehold::detail::event_count<> changed;
        std::atomic<int> count = 0;
        std::thread changing([&] {
            for (int i = 0; i != 3; ++i) {
                count.fetch_add(1, std::memory_order_relaxed);
                changed.notify_all();
            }
        });
        changed.wait([&count] { return count.load(std::memory_order_relaxed) == 3; }, is_expected_soon);
        EXPECT_EQ(count.load(std::memory_order_relaxed), 3);
        changing.join();
    }
}

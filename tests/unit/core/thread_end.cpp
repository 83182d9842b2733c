#include <freehold/core/thread_end.hpp>

#include <gtest/gtest.h>
#include <pthread.h>

#include <thread>
#include <vector>

#include "support/key_destructor.hpp"

namespace {

int calls = 0;

void count_call() noexcept { ++calls; }

using counted_end = freehold::detail::thread_end<count_call>;

TEST(thread_end, the_function_is_called_once_in_each_thread_that_asked_for_it) {
    calls = 0;
    for (int i = 0; i < 3; ++i) {
        std::thread([] {
            static_cast<void>(counted_end::arm());
            static_cast<void>(counted_end::arm());
        }).join();
        EXPECT_EQ(calls, i + 1);
    }
    std::thread([] {}).join();
    EXPECT_EQ(calls, 3);
}

TEST(thread_end, a_thread_that_asks_in_the_destructor_of_a_key_is_told_as_well) {
    calls = 0;
    const support::key_destructor first([] { static_cast<void>(counted_end::arm()); });
    static_cast<void>(counted_end::arm());  // makes the key of thread_end: the others are before and behind it
    const support::key_destructor last([] { static_cast<void>(counted_end::arm()); });
    for (const auto* each : {&first, &last}) {
        calls = 0;
        std::thread([&] { each->arm(); }).join();
        EXPECT_EQ(calls, 1);
    }
}

void count_call_without_keys() noexcept { ++calls; }

TEST(thread_end, a_process_without_keys_left_is_told_of_threads_that_end_as_usual) {
    if (freehold::detail::thread_key::is_before_thread_locals) GTEST_SKIP() << "they take no keys of the process";
    std::thread([] { static_cast<void>(counted_end::arm()); }).join();  // libc++ takes keys for itself
    std::vector<pthread_key_t> keys;
    for (pthread_key_t key{}; pthread_key_create(&key, nullptr) == 0;) keys.push_back(key);
    calls = 0;
    std::thread([] { EXPECT_FALSE(freehold::detail::thread_end<count_call_without_keys>::arm()); }).join();
    EXPECT_EQ(calls, 1);
    for (const pthread_key_t key : keys) pthread_key_delete(key);
}

}  // namespace

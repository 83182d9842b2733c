#include <gtest/gtest.h>
#include <freehold/core/spinning_mutex.hpp>

#include <mutex>
#include <thread>

TEST(spinning_mutex, one_thread_at_a_time_holds_it) {
    constexpr int times = 10'000;
    freehold::detail::spinning_mutex mutex;
    int count = 0;
    const auto add = [&] {
        for (int i = 0; i != times; ++i) {
            const std::lock_guard held(mutex);
            ++count;
        }
    };
    std::thread other(add);
    add();
    other.join();
    EXPECT_EQ(count, 2 * times);
}

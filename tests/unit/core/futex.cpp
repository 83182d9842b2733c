#include <freehold/core/futex.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

using freehold::detail::futex;

TEST(futex, a_number_that_has_changed_is_not_waited_for) {
    futex place;
    place.number = 1;
    place.wait(0);
}

TEST(futex, a_thread_that_waits_is_woken_by_each_change) {
    constexpr std::uint32_t changes = 20'000;
    futex place;
    std::thread reader([&] {
        for (std::uint32_t seen = 0; seen < changes; seen = place.number.load()) place.wait(seen);
    });
    for (std::uint32_t i = 0; i < changes; ++i) {
        place.number.fetch_add(1);
        place.notify_one();
    }
    reader.join();
}

TEST(futex, all_threads_that_wait_are_woken_at_once) {
    for (int round = 0; round < 20; ++round) {
        futex place;
        std::atomic<int> woken = 0;
        std::vector<std::thread> waiting;
        for (int i = 0; i < 3; ++i) {
            waiting.emplace_back([&] {
                while (place.number.load() == 0) place.wait(0);
                ++woken;
            });
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // most of them wait then
        place.number = 1;
        place.notify_all();
        for (int i = 0; i < 10'000 && woken != 3; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        EXPECT_EQ(woken, 3);
        while (woken != 3) place.notify_all();
        for (std::thread& each : waiting) each.join();
        if (HasFailure()) return;
    }
}

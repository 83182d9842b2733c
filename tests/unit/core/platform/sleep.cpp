#include <freehold/core/platform/sleep.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "support/threads.hpp"

using namespace freehold::detail;

namespace {

template <class Work>
std::chrono::nanoseconds time_of(Work work) {
    const auto before = std::chrono::steady_clock::now();
    work();
    return std::chrono::steady_clock::now() - before;
}

}  // namespace

TEST(sleep, a_thread_sleeps_until_it_is_woken) {
    std::atomic<std::uint32_t> number = 0;
    std::thread sleeper([&] {
        while (number.load() == 0) sleep_while(&number, 0);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    number = 1;
    wake_sleepers(&number);
    sleeper.join();
}

TEST(sleep, or_until_the_time_is_over) {
    const std::atomic<std::uint32_t> number = 0;
    EXPECT_GE(time_of([&] { sleep_while(&number, 0, 20'000'000); }), std::chrono::milliseconds(20));
    EXPECT_LT(time_of([&] { sleep_while(&number, 1, std::uint64_t{60'000'000'000}); }), std::chrono::seconds(60));
}

TEST(sleep, lasts_as_long_as_asked_for) {
    EXPECT_GE(time_of([] { sleep_for(20'000'000); }), std::chrono::milliseconds(20));
}

TEST(sleep, the_coarse_clock_counts_milliseconds) {
    const std::uint64_t before = coarse_milliseconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::uint64_t passed = coarse_milliseconds() - before;
    EXPECT_GE(passed, 30U);
    EXPECT_LT(passed, 60'000U);
}

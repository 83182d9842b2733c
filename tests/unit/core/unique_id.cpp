#include <freehold/core/unique_id.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

using freehold::detail::unique_id;
using freehold::detail::unique_ids;

TEST(unique_id, ids_of_several_threads_all_differ) {
    constexpr int number = 10'000;
    std::vector<std::uint64_t> all;
    std::mutex mutex;
    const auto take = [&] {
        std::vector<std::uint64_t> mine(number);
        for (std::uint64_t& each : mine) each = unique_id();
        const std::lock_guard held(mutex);
        all.insert(all.end(), mine.begin(), mine.end());
    };
    std::thread other(take);
    take();
    other.join();
    std::ranges::sort(all);
    EXPECT_TRUE(std::ranges::adjacent_find(all) == all.end());
}

// As two libraries have one each.
TEST(unique_id, two_sources_never_return_the_same_id) {
    unique_ids first;
    unique_ids second;
    std::vector<std::uint64_t> all;
    for (int i = 0; i < 1000; ++i) {
        all.push_back(first.next());
        all.push_back(second.next());
    }
    std::ranges::sort(all);
    EXPECT_TRUE(std::ranges::adjacent_find(all) == all.end());
}

TEST(unique_id, when_the_numbers_of_a_page_are_used_up_there_is_another_page) {
    unique_ids source;
    const std::uint64_t first = source.next();
    EXPECT_GT(first, unique_ids::counter_mask);
    std::uint64_t last = first;
    for (std::uint64_t i = 1; i < unique_ids::counter_mask; ++i) last = source.next();
    EXPECT_EQ(last - first, unique_ids::counter_mask - 1);
    const std::uint64_t next = source.next();
    EXPECT_NE(next >> unique_ids::counter_bits, first >> unique_ids::counter_bits);
    EXPECT_NE(next, 0U);
}

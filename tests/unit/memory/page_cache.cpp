#include <gtest/gtest.h>
#include <freehold/core/platform/page_changes.hpp>
#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/page_cache.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <list>
#include <memory_resource>
#include <new>
#include <thread>
#include <vector>

#include "support/emulation.hpp"
#include "support/filled_block.hpp"
#include "support/limited_address_space.hpp"
#include "support/thread_sanitizer.hpp"
#include "support/threads.hpp"

using freehold::page_cache;
using freehold::page_cache_options;
using freehold::detail::page_granule;
using freehold::detail::page_state;

namespace {

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t mebibyte = 1024 * kibibyte;

// Returns: the number of pages that are in the state.
std::size_t pages_in(void* begin, std::size_t bytes, page_state state) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < bytes; i += page_granule) {
        if (freehold::detail::state_of_page(static_cast<std::byte*>(begin) + i) == state) ++found;
    }
    return found;
}

// Returns: whether the pages are part of the process.
bool is_mapped(void* begin, std::size_t bytes) { return pages_in(begin, bytes, page_state::unmapped) == 0; }

// Returns: the number of pages that are in memory.
std::size_t resident_pages(void* begin, std::size_t bytes) { return pages_in(begin, bytes, page_state::resident); }

// Returns: the bytes of the pages of a block. Under AddressSanitizer it is followed by a gap.
std::size_t pages_of(std::size_t bytes) {
#ifdef FREEHOLD_ADDRESS_SANITIZER
    ++bytes;
#endif
    return freehold::detail::idle_pages::rounded(bytes);
}

page_cache_options options_with_decay(std::chrono::nanoseconds decay) {
    page_cache_options options;
    options.decay = decay;
    return options;
}

}  // namespace

TEST(page_cache, freed_pages_serve_the_next_request) {
    page_cache cache(options_with_decay(std::chrono::hours(1)));
    for (std::size_t bytes = 64 * kibibyte; bytes <= 32 * mebibyte; bytes *= 2) {
        void* const block = cache.allocate(bytes);
        cache.deallocate(block, bytes);
        EXPECT_EQ(cache.idle_bytes(), pages_of(bytes));
        EXPECT_EQ(cache.allocate(bytes - 100), block);
        EXPECT_EQ(cache.idle_bytes(), pages_of(bytes) - pages_of(bytes - 100));
        cache.deallocate(block, bytes - 100);
        cache.trim();
        EXPECT_FALSE(is_mapped(block, bytes));
    }
}

TEST(page_cache, a_power_of_two_takes_its_own_size_and_no_request_much_more) {
    if (pages_of(mebibyte) != mebibyte) GTEST_SKIP() << "there is a gap behind each block";
    page_cache cache(options_with_decay(std::chrono::hours(1)));
    for (std::size_t bytes = 64 * kibibyte; bytes <= 64 * mebibyte; bytes *= 2) {
        void* const block = cache.allocate(bytes);
        EXPECT_EQ(cache.statistics().in_use, bytes);
        cache.deallocate(block, bytes);
        for (const std::size_t other : support::sizes{bytes + 1, bytes / 5 * 6, 2 * bytes - 1}) {
            void* const odd = cache.allocate(other);
            EXPECT_LE(cache.statistics().in_use, other + other / 16 + freehold::detail::page_granule);
            cache.deallocate(odd, other);
        }
        cache.trim();
    }
}

TEST(page_cache, the_block_that_was_freed_last_is_reused_first) {
    page_cache cache(options_with_decay(std::chrono::hours(1)));
    std::vector<void*> blocks(9);
    for (void*& block : blocks) block = cache.allocate(64 * kibibyte);
    const std::vector<std::size_t> apart{1, 5, 3, 7};  // neighbors would become one range
    for (const std::size_t i : apart) cache.deallocate(blocks[i], 64 * kibibyte);
    for (const std::size_t i : {7U, 3U, 5U, 1U}) EXPECT_EQ(cache.allocate(64 * kibibyte), blocks[i]);
    for (void* const block : blocks) cache.deallocate(block, 64 * kibibyte);
}

TEST(page_cache, memory_freed_in_one_size_serves_every_other) {
    page_cache cache(options_with_decay(std::chrono::hours(1)));
    constexpr std::size_t all = 32 * mebibyte;
    cache.deallocate(cache.allocate(all), all);
    for (const std::size_t bytes : support::sizes{64 * kibibyte, 4 * mebibyte, 100'000, mebibyte, 3'000'000}) {
        std::vector<void*> blocks;
        while (pages_of(bytes) <= cache.idle_bytes()) blocks.push_back(cache.allocate(bytes));
        EXPECT_EQ(cache.statistics().mapped, pages_of(all)) << bytes;
        for (void* const block : blocks) cache.deallocate(block, bytes);
    }
}

TEST(page_cache, what_was_idle_for_the_decay_time_goes_back_to_the_system) {
    page_cache cache(options_with_decay(std::chrono::milliseconds(1)));
    void* const first = cache.allocate(64 * kibibyte);
    void* const second = cache.allocate(mebibyte);
    cache.deallocate(first, 64 * kibibyte);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    cache.deallocate(second, mebibyte);
    EXPECT_EQ(cache.idle_bytes(), pages_of(mebibyte));
}

// An interval ends where trim_step is told of a decay of 0.
TEST(page_cache, what_was_used_within_the_decay_time_stays) {
    page_cache cache(options_with_decay(std::chrono::hours(1)));
    const std::size_t all = pages_of(8 * mebibyte);
    cache.deallocate(cache.allocate(8 * mebibyte), 8 * mebibyte);
    cache.deallocate(cache.allocate(6 * mebibyte), 6 * mebibyte);
    EXPECT_EQ(cache.idle_bytes(), all);
    EXPECT_FALSE(cache.trim_step());
    EXPECT_TRUE(cache.trim_step(std::chrono::nanoseconds(0)));
    while (cache.trim_step()) {
    }
    EXPECT_EQ(cache.idle_bytes(), pages_of(6 * mebibyte));
}

TEST(page_cache, what_is_used_while_it_is_due_stays) {
    page_cache cache(options_with_decay(std::chrono::hours(1)));
    cache.deallocate(cache.allocate(8 * mebibyte), 8 * mebibyte);
    EXPECT_TRUE(cache.trim_step(std::chrono::nanoseconds(0)));
    cache.deallocate(cache.allocate(6 * mebibyte), 6 * mebibyte);
    while (cache.trim_step()) {
    }
    EXPECT_EQ(cache.idle_bytes(), pages_of(6 * mebibyte));
}

TEST(page_cache, no_call_gives_back_more_than_a_step) {
    page_cache_options options = options_with_decay(std::chrono::milliseconds(1));
    options.max_idle = mebibyte;
    options.step = 128 * kibibyte;
    page_cache cache(options);
    std::vector<void*> blocks(20);
    for (void*& block : blocks) block = cache.allocate(mebibyte);
    std::size_t mapped = cache.statistics().mapped;
    for (void* const block : blocks) {
        cache.deallocate(block, mebibyte);
        EXPECT_GE(cache.statistics().mapped, mapped - options.step);
        mapped = cache.statistics().mapped;
    }
    EXPECT_LE(mapped, 20 * pages_of(mebibyte) - 18 * options.step) << "each call gives back a step beyond max_idle";
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    while (cache.trim_step()) {
        EXPECT_GE(cache.statistics().mapped, mapped - options.step);
        mapped = cache.statistics().mapped;
    }
    EXPECT_LE(cache.idle_bytes(), mebibyte);
}

TEST(page_cache, trim_step_gives_back_what_was_idle_for_the_decay_time) {
    page_cache cache(options_with_decay(std::chrono::milliseconds(1)));
    cache.deallocate(cache.allocate(4 * mebibyte), 4 * mebibyte);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    int steps = 1;
    while (cache.trim_step()) ++steps;
    EXPECT_GE(steps, 8);
    EXPECT_EQ(cache.idle_bytes(), 0U);
    EXPECT_FALSE(cache.trim_step());
}

TEST(page_cache, without_decay_nothing_is_idle) {
    page_cache cache(options_with_decay(std::chrono::nanoseconds(0)));
    void* const block = cache.allocate(mebibyte);
    cache.deallocate(block, mebibyte);
    EXPECT_EQ(cache.idle_bytes(), 0U);
    EXPECT_FALSE(is_mapped(block, mebibyte));
}

TEST(page_cache, trim_gives_back_what_was_idle_for_a_time_and_keeps_the_rest) {
    page_cache cache(options_with_decay(std::chrono::hours(2)));
    cache.deallocate(cache.allocate(mebibyte), mebibyte);
    cache.trim(std::chrono::hours(1));
    EXPECT_EQ(cache.idle_bytes(), pages_of(mebibyte));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    cache.trim(std::chrono::milliseconds(1));
    EXPECT_EQ(cache.idle_bytes(), 0U);
    cache.deallocate(cache.allocate(mebibyte), mebibyte);
    cache.trim();
    EXPECT_EQ(cache.idle_bytes(), 0U);
}

TEST(page_cache, where_much_is_idle_a_large_request_gives_back_as_much_as_it_maps) {
    page_cache_options options = options_with_decay(std::chrono::hours(1));
    options.max_idle = 8 * mebibyte;
    page_cache cache(options);
    for (std::size_t bytes = 8 * mebibyte; bytes <= 64 * mebibyte; bytes *= 2) {
        void* const block = cache.allocate(bytes);
        EXPECT_LE(cache.statistics().mapped, pages_of(bytes));
        cache.deallocate(block, bytes);
    }
}

TEST(page_cache, any_alignment_is_honored_among_idle_pages) {
    page_cache cache(options_with_decay(std::chrono::hours(1)));
    std::vector<support::filled_block> blocks;
    for (unsigned round = 0; round < 60; ++round) {
        const std::size_t bytes = 33 * kibibyte + round * 7919 % (600 * kibibyte);
        blocks.emplace_back(cache, bytes, std::size_t{8} << round % 20, round);
        if (round % 3 == 2) {
            blocks[blocks.size() / 2].free(cache);
            blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(blocks.size() / 2));
        }
    }
    for (const support::filled_block& block : blocks) block.free(cache);
    EXPECT_EQ(cache.statistics().in_use, 0U);
}

#ifndef FREEHOLD_ADDRESS_SANITIZER

constexpr std::size_t there = 256 * mebibyte;

// In a child whose address space has that many bytes more. Returns: 0 if every size gets nearly all of it, whatever was
// allocated and freed before.
int exhaust_each_size() {
    page_cache_options options = options_with_decay(std::chrono::hours(1));
    options.max_idle = 2 * there;
    page_cache cache(options);
    std::vector<void*> blocks;
    blocks.reserve(2 * there / (44 * kibibyte));  // the C library may have given addresses back
    for (const std::size_t bytes :
         {64 * kibibyte, 3 * mebibyte, 44 * kibibyte, 20 * mebibyte, std::size_t{100'000}, mebibyte}) {
        while (void* const block = cache.try_allocate(bytes)) blocks.push_back(block);
        if (blocks.size() * bytes < there / 10 * 9) return 2;
        while (!blocks.empty()) {
            cache.deallocate(blocks.back(), bytes);
            blocks.pop_back();
        }
    }
    // What is idle goes back before a request fails that does not fit into it.
    cache.trim();
    cache.deallocate(cache.allocate(there / 2), there / 2);
    void* const larger = cache.try_allocate(there / 10 * 9);
    return larger != nullptr ? 0 : 3;
}

TEST(page_cache, after_exhaustion_every_size_gets_nearly_all_of_the_address_space) {
#ifdef THREAD_SANITIZER
    GTEST_SKIP() << "it needs addresses of its own";
#endif
    support::expect_0_in_limited_address_space(there, exhaust_each_size);
}

#endif

TEST(page_cache, try_allocate_returns_null_where_allocate_throws) {
    page_cache cache;
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    EXPECT_EQ(cache.try_allocate(most / 4 * 3), nullptr);
    EXPECT_EQ(cache.try_allocate(sizeof(void*) == 8 ? most >> 14 : most / 8 * 7), nullptr);
    EXPECT_EQ(cache.statistics().in_use, 0U);
    for (const std::size_t bytes : support::sizes{1, 100'000}) {
        void* const block = cache.try_allocate(bytes, 64);
        ASSERT_NE(block, nullptr);
        cache.deallocate(block, bytes, 64);
    }
    void* const page = cache.try_allocate_pages(1, 8);
    EXPECT_EQ(cache.statistics().in_use, pages_of(1));
    cache.deallocate_pages(page, 1);
}

TEST(page_cache, small_blocks_take_no_pages) {
    page_cache cache;
    for (const std::size_t bytes : support::sizes{0, 1, 1000, 40 * kibibyte}) {
        support::filled_block(cache, bytes, 4096, 3).free(cache);
    }
    EXPECT_EQ(cache.idle_bytes(), 0U);
    support::filled_block(cache, 40 * kibibyte + 1, 8, 3).free(cache);
    EXPECT_EQ(cache.idle_bytes(), pages_of(40 * kibibyte + 1));
}

TEST(page_cache, an_unrepresentable_size_is_refused) {
    page_cache cache;
    constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
    for (const std::size_t bytes : support::sizes{largest, largest - 4096, largest / 2, largest / 8}) {
        EXPECT_THROW(static_cast<void>(cache.allocate(bytes)), std::bad_alloc);
    }
    EXPECT_THROW(static_cast<void>(cache.allocate(1, largest / 2 + 1)), std::bad_alloc);
}

TEST(page_cache, prefault_backs_fresh_slabs_with_memory) {
    if (support::is_emulated()) GTEST_SKIP() << "the emulator ignores what it is asked to do with pages";
    page_cache_options options;
    options.prefault = true;
    page_cache cache(options);
    void* const slab = cache.allocate(mebibyte);
    EXPECT_EQ(resident_pages(slab, mebibyte), mebibyte / page_granule);
    cache.deallocate(slab, mebibyte);
}

TEST(page_cache, huge_pages_may_be_requested) {
    page_cache_options options;
    options.huge_pages = true;
    page_cache cache(options);
    support::filled_block(cache, 4 * mebibyte, 8, 7).free(cache);
}

TEST(page_cache, a_short_lived_pool_reuses_the_pages_of_the_one_before) {
    page_cache cache(options_with_decay(std::chrono::hours(1)));
    std::size_t idle = 0;
    for (int round = 0; round < 10; ++round) {
        {
            freehold::concurrent_pool_resource pool(&cache);
            const std::pmr::list<int> numbers(100'000, 7, &pool);
        }
        if (round <= 1) idle = cache.idle_bytes();  // then every chunk has found its place
        EXPECT_EQ(cache.idle_bytes(), idle);
    }
    EXPECT_GT(idle, mebibyte);
}

TEST(page_cache, the_cache_of_the_process_is_always_the_same) {
    EXPECT_EQ(&page_cache::shared(), &page_cache::shared());
    support::filled_block(page_cache::shared(), mebibyte, 8, 7).free(page_cache::shared());
    page_cache::shared().trim();
    EXPECT_EQ(page_cache::shared().idle_bytes(), 0U);
}

// A leak would be reported by LeakSanitizer at the exit of the process.
TEST(page_cache, memory_that_its_pages_refer_to_is_no_leak) {
    static auto* const numbers = new (page_cache::shared().allocate(64 * kibibyte)) std::list<int>(10, 7);
    EXPECT_EQ(numbers->size(), 10U);
}

TEST(page_cache, threads_share_it) {
    page_cache cache(options_with_decay(std::chrono::microseconds(100)));
    support::in_threads(4, [&](int i) {
        for (unsigned round = 0; round < 100; ++round) {
            const std::size_t bytes = std::size_t{20'000} << round % 6;
            const support::filled_block first(cache, bytes, 8, static_cast<unsigned>(i));
            const support::filled_block second(cache, 10, 8, round);
            first.free(cache);
            second.free(cache);
        }
    });
    cache.trim();
    EXPECT_EQ(cache.idle_bytes(), 0U);
}

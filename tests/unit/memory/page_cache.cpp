#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/page_cache.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <limits>
#include <list>
#include <memory_resource>
#include <new>
#include <thread>
#include <vector>

#include "support/filled_block.hpp"
#include "support/threads.hpp"

using freehold::page_cache;
using freehold::page_cache_options;

namespace {

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t mebibyte = 1024 * kibibyte;

// Returns: whether the pages are part of the process.
bool is_mapped(void* begin, std::size_t bytes) {
    std::vector<unsigned char> resident(bytes / 4096);
    return ::mincore(begin, bytes, resident.data()) == 0 || errno != ENOMEM;
}

// Returns: the number of pages that are in memory.
std::size_t resident_pages(void* begin, std::size_t bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> resident(bytes / page);
    EXPECT_EQ(::mincore(begin, bytes, resident.data()), 0);
    return static_cast<std::size_t>(
        std::count_if(resident.begin(), resident.end(), [](unsigned char each) { return (each & 1) != 0; }));
}

page_cache_options options_with_decay(std::chrono::nanoseconds decay) {
    page_cache_options options;
    options.decay = decay;
    return options;
}

}  // namespace

TEST(page_cache, a_freed_slab_is_the_next_of_its_size) {
    page_cache cache(options_with_decay(std::chrono::hours(1)));
    for (std::size_t bytes = 64 * kibibyte; bytes <= 4 * mebibyte; bytes *= 2) {
        void* const slab = cache.allocate(bytes);
        EXPECT_TRUE(support::is_aligned(slab, bytes));
        cache.deallocate(slab, bytes);
        EXPECT_EQ(cache.idle_bytes(), bytes);
        EXPECT_EQ(cache.allocate(bytes - 100), slab);
        EXPECT_EQ(cache.idle_bytes(), 0U);
        cache.deallocate(slab, bytes - 100);
        cache.trim();
        EXPECT_FALSE(is_mapped(slab, bytes));
    }
}

TEST(page_cache, the_slab_that_was_freed_last_is_reused_first) {
    page_cache cache(options_with_decay(std::chrono::hours(1)));
    std::vector<void*> slabs(5);
    for (void*& slab : slabs) slab = cache.allocate(64 * kibibyte);
    for (void* const slab : slabs) cache.deallocate(slab, 64 * kibibyte);
    for (std::size_t i = 5; i > 0; --i) EXPECT_EQ(cache.allocate(64 * kibibyte), slabs[i - 1]);
    for (void* const slab : slabs) cache.deallocate(slab, 64 * kibibyte);
}

TEST(page_cache, slabs_idle_for_the_decay_time_go_back_to_the_system) {
    page_cache cache(options_with_decay(std::chrono::milliseconds(1)));
    void* const first = cache.allocate(64 * kibibyte);
    void* const second = cache.allocate(mebibyte);
    cache.deallocate(first, 64 * kibibyte);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    cache.deallocate(second, mebibyte);
    EXPECT_FALSE(is_mapped(first, 64 * kibibyte));
    EXPECT_LE(cache.idle_bytes(), mebibyte);
}

TEST(page_cache, without_decay_nothing_is_idle) {
    page_cache cache(options_with_decay(std::chrono::nanoseconds(0)));
    void* const slab = cache.allocate(mebibyte);
    cache.deallocate(slab, mebibyte);
    EXPECT_EQ(cache.idle_bytes(), 0U);
    EXPECT_FALSE(is_mapped(slab, mebibyte));
}

TEST(page_cache, trim_gives_back_slabs_idle_for_a_time_and_keeps_the_rest) {
    page_cache cache(options_with_decay(std::chrono::hours(2)));
    cache.deallocate(cache.allocate(mebibyte), mebibyte);
    cache.trim(std::chrono::hours(1));
    EXPECT_EQ(cache.idle_bytes(), mebibyte);
    cache.trim();
    EXPECT_EQ(cache.idle_bytes(), 0U);
}

TEST(page_cache, idle_bytes_never_exceed_max_idle) {
    page_cache_options options;
    options.max_idle = mebibyte;
    page_cache cache(options);
    std::vector<void*> slabs(5);
    for (void*& slab : slabs) slab = cache.allocate(512 * kibibyte);
    for (void* const slab : slabs) cache.deallocate(slab, 512 * kibibyte);
    EXPECT_EQ(cache.idle_bytes(), mebibyte);
    void* const large = cache.allocate(2 * mebibyte);
    cache.deallocate(large, 2 * mebibyte);
    EXPECT_FALSE(is_mapped(large, 2 * mebibyte));
}

TEST(page_cache, blocks_larger_than_a_slab_go_back_at_once) {
    page_cache cache;
    void* const block = cache.allocate(5 * mebibyte + 1, 8 * mebibyte);
    EXPECT_TRUE(support::is_aligned(block, 8 * mebibyte));
    EXPECT_TRUE(is_mapped(block, 5 * mebibyte + 4096));
    cache.deallocate(block, 5 * mebibyte + 1, 8 * mebibyte);
    EXPECT_FALSE(is_mapped(block, 5 * mebibyte));
    EXPECT_EQ(cache.idle_bytes(), 0U);
}

TEST(page_cache, blocks_of_at_most_half_a_slab_take_none) {
    page_cache cache;
    for (const std::size_t bytes : support::sizes{0, 1, 1000, 32 * kibibyte}) {
        support::filled_block(cache, bytes, 4096, 3).free(cache);
    }
    EXPECT_EQ(cache.idle_bytes(), 0U);
    support::filled_block(cache, 32 * kibibyte + 1, 8, 3).free(cache);
    EXPECT_EQ(cache.idle_bytes(), 64 * kibibyte);
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
    page_cache_options options;
    options.prefault = true;
    page_cache cache(options);
    void* const slab = cache.allocate(mebibyte);
    EXPECT_EQ(resident_pages(slab, mebibyte), mebibyte / static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
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
        if (round == 0) idle = cache.idle_bytes();
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
        for (unsigned round = 0; round < 300; ++round) {
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

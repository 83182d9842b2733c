// The table of the blocks that a resource asks its upstream for one by one.

#include <gtest/gtest.h>
#include <freehold/memory/detail/large_blocks.hpp>
#include <freehold/memory/detail/static_mutex.hpp>

#include <cstddef>
#include <map>
#include <memory_resource>
#include <new>
#include <random>
#include <utility>
#include <vector>

#include "support/filled_block.hpp"
#include "support/ledger_resource.hpp"
#include "support/reentering_resource.hpp"
#include "support/threads.hpp"

using freehold::detail::large_blocks;
using freehold::detail::static_mutex;
using support::ledger_resource;

namespace {

constinit static_mutex mutex;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

}  // namespace

TEST(large_blocks, each_is_found_by_its_address_while_it_is_allocated) {
    ledger_resource upstream;
    large_blocks blocks;
    std::map<void*, std::size_t> live;
    std::mt19937 random(7);
    for (const unsigned chance : {90U, 50U, 20U}) {  // of a hundred, for an allocation
        for (int i = 0; i < 5000; ++i) {
            if (live.empty() || random() % 100 < chance) {
                const std::size_t bytes = random() % 3 == 0 ? 64 : random() % 1000;
                live[blocks.allocate(bytes, std::size_t{1} << random() % 8, upstream)] = bytes;
            } else {
                auto old = live.lower_bound(live.begin()->first);
                std::advance(old, random() % live.size() % 10);
                EXPECT_EQ(blocks.find(old->first), old->second);
                blocks.deallocate(old->first, old->second, upstream);
                EXPECT_EQ(blocks.find(old->first), 0U);
                live.erase(old);
            }
            ASSERT_EQ(blocks.count(), live.size());
        }
        for (const auto& [block, bytes] : live) ASSERT_EQ(blocks.find(block), bytes);
    }
    blocks.release(upstream);
    EXPECT_EQ(upstream.bytes_live, 0U);
}

TEST(large_blocks, the_table_goes_back_with_the_last_block) {
    ledger_resource upstream;
    large_blocks blocks;
    for (int round = 0; round < 3; ++round) {
        std::vector<void*> allocated(1000);
        for (void*& each : allocated) each = blocks.allocate(100, 8, upstream);
        EXPECT_GT(upstream.live.size(), 1000U);
        for (void* const each : allocated) blocks.deallocate(each, 100, upstream);
        EXPECT_TRUE(upstream.live.empty());
    }
}

TEST(large_blocks, a_resized_block_counts_with_its_size) {
    ledger_resource upstream;
    large_blocks blocks;
    void* const block = blocks.allocate(mebibyte, 16, upstream);
    blocks.resize(block, 3 * mebibyte);
    EXPECT_EQ(blocks.bytes(), 3 * mebibyte);
    blocks.resize(block, mebibyte);
    blocks.deallocate(block, mebibyte, upstream);
    EXPECT_EQ(blocks.bytes(), 0U);
}

TEST(large_blocks, a_power_of_two_reaches_the_upstream_as_it_is) {
    if (freehold::detail::is_memory_checked()) GTEST_SKIP() << "there is a gap behind each block";
    ledger_resource upstream;
    large_blocks blocks;
    void* const block = blocks.allocate(mebibyte, 16, upstream);
    EXPECT_EQ(upstream.last_request.bytes, mebibyte);
    EXPECT_EQ(upstream.bytes_live, mebibyte);
    blocks.deallocate(block, mebibyte, upstream);
}

TEST(large_blocks, when_the_upstream_fails_nothing_has_changed) {
    ledger_resource upstream;
    large_blocks blocks;
    for (std::size_t i = 0; i < 100; ++i) {
        upstream.allocations_left = 0;
        const std::size_t live = upstream.bytes_live;
        EXPECT_THROW(static_cast<void>(blocks.allocate(100, 8, upstream)), support::upstream_failure);
        EXPECT_EQ(upstream.bytes_live, live);
        EXPECT_EQ(blocks.count(), i);
        // Where the table grows first, the block itself fails.
        upstream.allocations_left = 1;
        try {
            static_cast<void>(blocks.allocate(100, 8, upstream));
        } catch (const support::upstream_failure&) {
            EXPECT_EQ(blocks.count(), i);
            upstream.allocations_left = 1;
            static_cast<void>(blocks.allocate(100, 8, upstream));
        }
        EXPECT_EQ(blocks.count(), i + 1);
    }
    upstream.allocations_left = 0;
    while (blocks.count() > 0) blocks.pop(upstream);
    EXPECT_EQ(upstream.bytes_live, 0U);
}

TEST(large_blocks, an_upstream_without_exceptions_returns_null) {
    struct {
        static void* allocate(std::size_t, std::size_t) noexcept { return nullptr; }
        static void deallocate(void*, std::size_t, std::size_t) noexcept {}
    } none;
    large_blocks blocks;
    EXPECT_EQ(blocks.allocate(100, 8, none), nullptr);
    EXPECT_EQ(blocks.count(), 0U);
}

TEST(large_blocks, the_block_that_was_allocated_last_may_be_popped) {
    ledger_resource upstream;
    large_blocks blocks;
    std::vector<void*> allocated(50);
    for (std::size_t i = 0; i < 50; ++i) allocated[i] = blocks.allocate(100 + i, 8, upstream);
    for (std::size_t i = 50; i > 0; --i) {
        EXPECT_EQ(blocks.find(allocated[i - 1]), 99 + i);
        blocks.pop(upstream);
        EXPECT_EQ(blocks.find(allocated[i - 1]), 0U);
    }
    EXPECT_EQ(upstream.bytes_live, 0U);
}

TEST(large_blocks, the_upstream_may_allocate_from_the_same_table) {
    support::reentering_resource upstream;
    large_blocks blocks;
    std::vector<void*> within;
    upstream.use_above = [&] { within.push_back(blocks.allocate(200, 8, upstream)); };
    std::vector<void*> allocated(500);
    for (void*& each : allocated) each = blocks.allocate(100, 8, upstream);
    upstream.use_above = [] {};
    EXPECT_GT(within.size(), 400U);
    for (void* const each : allocated) blocks.deallocate(each, 100, upstream);
    for (void* const each : within) blocks.deallocate(each, 200, upstream);
}

// As if threads had begun to allocate when another one frees the last block.
TEST(large_blocks, room_for_blocks_that_are_about_to_be_allocated_stays) {
    struct nested_upstream {
        large_blocks blocks;
        ledger_resource memory;
        void* first = nullptr;
        std::vector<void*> within = {};

        void* allocate(std::size_t bytes, std::size_t alignment) {
            if (bytes > 120) return memory.allocate(bytes, alignment);  // for records
            if (first != nullptr && within.size() < 10) {
                const std::size_t place = within.size();
                within.push_back(nullptr);
                within[place] = blocks.allocate(100, 8, *this);
            } else if (first != nullptr) {
                blocks.deallocate(std::exchange(first, nullptr), 100, *this);
            }
            return memory.allocate(bytes, alignment);
        }

        void deallocate(void* block, std::size_t bytes, std::size_t alignment) {
            memory.deallocate(block, bytes, alignment);
        }
    } upstream;
    upstream.first = upstream.blocks.allocate(100, 8, upstream);
    static_cast<void>(upstream.blocks.allocate(100, 8, upstream));
    EXPECT_EQ(upstream.blocks.count(), 11U);
    for (void* const each : upstream.within) EXPECT_EQ(upstream.blocks.find(each), 100U);
    upstream.blocks.release(upstream.memory);
    EXPECT_EQ(upstream.memory.bytes_live, 0U);
}

TEST(large_blocks, threads_share_them) {
    ledger_resource upstream;
    large_blocks blocks;
    support::in_threads(4, [&](int thread) {
        const auto bytes = static_cast<std::size_t>(thread) + 1;
        for (int round = 0; round < 30; ++round) {
            std::vector<void*> allocated(20);
            for (void*& each : allocated) each = blocks.allocate(bytes, 8, upstream, mutex);
            for (void* const each : allocated) {
                EXPECT_EQ(freehold::detail::locked(mutex, [&] { return blocks.find(each); }), bytes);
                blocks.deallocate(each, bytes, upstream, mutex);
            }
        }
    });
    blocks.release(upstream);
    EXPECT_EQ(upstream.bytes_live, 0U);
}

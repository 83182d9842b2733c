// What only a pool_resource promises; what every resource does is in contracts/memory_resource/.

#include <gtest/gtest.h>
#include <freehold/memory/pool_resource.hpp>

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>
#include <vector>

#include "support/filled_block.hpp"
#include "support/ledger_resource.hpp"

using freehold::pool_resource;
using freehold::detail::size_class;
using support::filled_block;
using support::sizes;

namespace {

constexpr std::size_t index_of_every_size() {
    std::size_t last = 0;
    for (std::size_t bytes = 1; bytes <= 3000; ++bytes) {
        const std::size_t index = size_class::of(bytes);
        if (size_class::bytes_of(index) < bytes) return bytes;
        if (index > 0 && size_class::bytes_of(index - 1) >= bytes) return bytes;
        if (index != last && index != last + 1) return bytes;
        last = index;
    }
    return 0;
}

}  // namespace

static_assert(index_of_every_size() == 0, "a size is not in the smallest class that holds it");
static_assert(size_class::of(size_class::largest) == size_class::count - 1);
static_assert(size_class::bytes_of(size_class::count - 1) == size_class::largest);

TEST(pool_resource, the_block_that_was_freed_last_is_the_next) {
    pool_resource resource;
    void* const first = resource.allocate(24, 8);
    void* const second = resource.allocate(24, 8);
    resource.deallocate(first, 24, 8);
    resource.deallocate(second, 24, 8);
    EXPECT_EQ(resource.allocate(24, 8), second);
    EXPECT_EQ(resource.allocate(24, 8), first);
}

TEST(pool_resource, fresh_blocks_follow_each_other_in_memory) {
    pool_resource resource;
    auto* last = static_cast<std::byte*>(resource.allocate(24, 8));
    for (int i = 0; i < 100; ++i) {
        auto* const next = static_cast<std::byte*>(resource.allocate(24, 8));
        ASSERT_EQ(next, last + 24);
        last = next;
    }
}

TEST(pool_resource, a_class_is_found_by_size_and_alignment_together) {
    pool_resource resource;
    for (const std::size_t alignment : sizes{1, 8, 16, 32, 64, 128, 256, 4096}) {
        void* const block = resource.allocate(1, alignment);
        resource.deallocate(block, 1, alignment);
        EXPECT_EQ(resource.allocate(alignment, alignment), block) << alignment;
    }
}

TEST(pool_resource, no_chunk_is_asked_for_before_the_first_block) {
    support::ledger_resource upstream;
    const pool_resource resource(&upstream);
    EXPECT_EQ(upstream.allocations, 0);
}

TEST(pool_resource, requests_above_the_largest_block_come_from_the_upstream_and_go_back) {
    support::ledger_resource upstream;
    pool_resource resource(&upstream);
    const std::size_t bytes = resource.options().largest_required_pool_block + 1;
    for (const std::size_t alignment : sizes{1, 16, 64, 8192}) {
        void* const block = resource.allocate(bytes, alignment);
        EXPECT_EQ(upstream.live.size(), 1U);
        EXPECT_GE(upstream.last_request.bytes, bytes);
        EXPECT_GE(upstream.last_request.alignment, alignment);
        resource.deallocate(block, bytes, alignment);
        EXPECT_TRUE(upstream.live.empty());
    }
}

TEST(pool_resource, large_blocks_are_freed_in_any_order) {
    support::ledger_resource upstream;
    pool_resource resource(&upstream);
    const std::size_t bytes = 100'000;
    std::vector<filled_block> blocks;
    for (unsigned i = 0; i < 10; ++i) blocks.emplace_back(resource, bytes + i, 16, i);
    for (const std::size_t i : sizes{4, 0, 9, 5, 1, 8, 2, 7, 3, 6}) blocks[i].free(resource);
    EXPECT_TRUE(upstream.live.empty());
}

TEST(pool_resource, a_class_that_was_used_up_does_not_hinder_the_others) {
    support::ledger_resource upstream;
    pool_resource resource(&upstream);
    static_cast<void>(resource.allocate(64, 8));  // so that its slab is not free as a whole
    void* const block = resource.allocate(64, 8);
    resource.deallocate(block, 64, 8);
    upstream.allocations_left = 0;
    EXPECT_THROW(static_cast<void>(resource.allocate(200, 8)), support::upstream_failure);
    EXPECT_NO_THROW(static_cast<void>(resource.allocate(64, 8)));
}

TEST(pool_resource, a_slab_whose_blocks_are_all_free_serves_any_size) {
    support::ledger_resource upstream;
    pool_resource resource(&upstream);
    // There are four times as many sizes.
    for (std::size_t bytes = 8; bytes <= resource.options().largest_required_pool_block; bytes += 40) {
        std::vector<filled_block> blocks;
        for (unsigned i = 0; i < 100'000 / bytes; ++i) blocks.emplace_back(resource, bytes, 8, i);
        for (const filled_block& block : blocks) block.free(resource);
        EXPECT_LE(upstream.bytes_live, 16 * freehold::detail::slab_bytes) << bytes;
    }
}

TEST(pool_resource, an_upstream_with_little_memory_gives_whole_slabs) {
    constexpr std::size_t slab = freehold::detail::slab_bytes;
    support::ledger_resource upstream;
    upstream.bytes_limit = 4 * slab + slab / 2;
    // Chunks of one, two and three slabs: of the last there is room for half.
    pool_resource resource(std::pmr::pool_options{3 * slab / 8, 0}, &upstream);
    std::size_t blocks = 0;
    const auto exhaust = [&] {
        for (;; ++blocks) static_cast<void>(resource.allocate(8192, 8));
    };
    EXPECT_THROW(exhaust(), std::bad_alloc);
    EXPECT_EQ(blocks, 4 * 7U);
}

TEST(pool_resource, trim_gives_back_all_chunks_without_a_block_in_use) {
    support::ledger_resource upstream;
    pool_resource resource(&upstream);
    const filled_block kept(resource, 24, 8, 1);
    std::vector<filled_block> blocks;
    for (unsigned i = 0; i < 100'000; ++i) blocks.emplace_back(resource, 8 + i % 500, 8, i);
    for (const filled_block& block : blocks) block.free(resource);
    resource.trim();
    EXPECT_EQ(upstream.live.size(), 1U);
    kept.free(resource);
    resource.trim();
    EXPECT_EQ(upstream.bytes_live, 0U);
    filled_block(resource, 24, 8, 2).free(resource);
}

TEST(pool_resource, a_size_that_wraps_when_it_is_rounded_up_does_not_reach_a_small_class) {
    support::ledger_resource upstream;
    pool_resource resource(&upstream);
    for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        resource.deallocate(resource.allocate(alignment, alignment), alignment, alignment);
    }
    for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        for (std::size_t less = 0; less < 2 * alignment; ++less) {
            const std::size_t bytes = std::numeric_limits<std::size_t>::max() - less;
            EXPECT_THROW(static_cast<void>(resource.allocate(bytes, alignment)), support::upstream_failure) << less;
        }
    }
}

TEST(pool_resource, options_returns_the_rounded_values) {
    const std::pmr::pool_options defaults = pool_resource().options();
    EXPECT_GT(defaults.max_blocks_per_chunk, 0U);
    EXPECT_GT(defaults.largest_required_pool_block, 0U);

    const std::pmr::pool_options zero = pool_resource(std::pmr::pool_options{0, 0}).options();
    EXPECT_EQ(zero.max_blocks_per_chunk, defaults.max_blocks_per_chunk);
    EXPECT_EQ(zero.largest_required_pool_block, defaults.largest_required_pool_block);

    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    const std::pmr::pool_options huge = pool_resource(std::pmr::pool_options{most, most}).options();
    EXPECT_EQ(huge.max_blocks_per_chunk, defaults.max_blocks_per_chunk);
    EXPECT_EQ(huge.largest_required_pool_block, size_class::largest);

    const std::pmr::pool_options small = pool_resource(std::pmr::pool_options{3, 1}).options();
    EXPECT_EQ(small.max_blocks_per_chunk, 3U);
    EXPECT_EQ(small.largest_required_pool_block, size_class::granularity);
}

TEST(pool_resource, no_chunk_has_more_blocks_than_the_options_allow) {
    for (const std::size_t most : sizes{1, 2, 7, 100}) {
        support::ledger_resource upstream;
        pool_resource resource(std::pmr::pool_options{most, 0}, &upstream);
        std::size_t blocks = 0;
        for (int i = 0; i < 1000; ++i) {
            const int before = upstream.allocations;
            static_cast<void>(resource.allocate(48, 8));
            if (upstream.allocations > before) blocks = 0;
            ASSERT_LE(++blocks, most);
        }
    }
}

TEST(pool_resource, the_largest_block_of_the_options_is_pooled_and_no_larger_one) {
    for (const std::size_t largest : sizes{8, 64, 256, 320, 4096, 8192}) {
        support::ledger_resource upstream;
        pool_resource resource(std::pmr::pool_options{0, largest}, &upstream);
        resource.deallocate(resource.allocate(largest, 8), largest, 8);
        EXPECT_EQ(upstream.live.size(), 1U) << largest;
        resource.deallocate(resource.allocate(largest + 1, 1), largest + 1, 1);
        EXPECT_EQ(upstream.live.size(), 1U) << largest;
        EXPECT_EQ(upstream.deallocations, 1) << largest;
    }
}

// A fault of another library's pool: with a small largest block, smaller ones were not pooled and were searched for.
TEST(pool_resource, requests_below_a_small_largest_block_are_pooled) {
    support::ledger_resource upstream;
    pool_resource resource(std::pmr::pool_options{0, 64}, &upstream);
    std::vector<filled_block> blocks;
    for (unsigned i = 0; i < 1000; ++i) blocks.emplace_back(resource, 32, 8, i);
    EXPECT_LT(upstream.allocations, 10);
    for (const filled_block& block : blocks) block.free(resource);
}

TEST(pool_resource, its_constructors_take_the_default_resource) {
    support::ledger_resource upstream;
    std::pmr::memory_resource* const before = std::pmr::set_default_resource(&upstream);
    EXPECT_EQ(pool_resource().upstream_resource(), &upstream);
    EXPECT_EQ(pool_resource(std::pmr::pool_options{1, 2}).upstream_resource(), &upstream);
    std::pmr::set_default_resource(before);
}

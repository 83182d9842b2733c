// What only a region_resource promises; what every resource does is in contracts/memory_resource/.

#include <gtest/gtest.h>
#include <freehold/memory/region_resource.hpp>

#include <cstddef>
#include <set>
#include <vector>

#include "support/filled_block.hpp"
#include "support/ledger_resource.hpp"

using freehold::region_resource;
using support::filled_block;
using support::sizes;

namespace {

// Returns: `count` blocks of 24 bytes.
std::vector<void*> allocate(region_resource& resource, int count) {
    std::vector<void*> blocks;
    for (int i = 0; i < count; ++i) blocks.push_back(resource.allocate(24, 8));
    return blocks;
}

}  // namespace

TEST(region_resource, blocks_follow_each_other_and_freed_ones_are_not_reused_before_a_sweep) {
    region_resource resource;
    auto* last = static_cast<std::byte*>(resource.allocate(24, 8));
    for (int i = 0; i < 1000; ++i) {
        auto* const next = static_cast<std::byte*>(resource.allocate(24, 8));
        ASSERT_EQ(next, last + 24);
        resource.deallocate(last, 24, 8);
        last = next;
    }
}

TEST(region_resource, a_sweep_finds_freed_blocks_and_no_others) {
    region_resource resource;
    const std::vector<void*> blocks = allocate(resource, 1000);
    std::set<void*> freed;
    for (std::size_t i = 0; i < blocks.size(); i += 3) {
        resource.deallocate(blocks[i], 24, 8);
        freed.insert(blocks[i]);
    }
    resource.sweep();
    for (void* const block : allocate(resource, static_cast<int>(freed.size()))) EXPECT_EQ(freed.erase(block), 1U);
    EXPECT_TRUE(freed.empty());
}

TEST(region_resource, a_sweep_to_a_marker_finds_blocks_allocated_and_freed_since) {
    region_resource resource;
    const std::vector<void*> earlier = allocate(resource, 1000);
    const region_resource::marker marker = resource.mark();
    void* const first = resource.allocate(24, 8);
    void* const kept = resource.allocate(24, 8);
    const std::vector<void*> blocks = allocate(resource, 100);
    resource.deallocate(first, 24, 8);
    for (void* const block : blocks) resource.deallocate(block, 24, 8);
    resource.deallocate(earlier[0], 24, 8);
    resource.sweep_to(marker);
    EXPECT_EQ(resource.allocate(24, 8), first);
    EXPECT_EQ(allocate(resource, 100), blocks);
    resource.deallocate(kept, 24, 8);
}

TEST(region_resource, a_loop_that_sweeps_to_its_begin_stays_in_place) {
    support::ledger_resource upstream;
    region_resource resource(&upstream);
    const region_resource::marker marker = resource.mark();
    std::set<void*> places;
    for (int round = 0; round < 1000; ++round) {
        for (void* const block : allocate(resource, 50)) {
            resource.deallocate(block, 24, 8);
            places.insert(block);
        }
        resource.sweep_to(marker);
    }
    EXPECT_LE(places.size(), 100U);
    EXPECT_EQ(upstream.allocations, 1);
}

TEST(region_resource, it_sweeps_at_the_end_of_its_slabs) {
    support::ledger_resource upstream;
    region_resource resource(&upstream);
    for (int i = 0; i < 100'000; ++i) resource.deallocate(resource.allocate(24, 8), 24, 8);
    EXPECT_EQ(upstream.allocations, 1);
}

TEST(region_resource, few_free_blocks_are_used_when_there_is_no_slab) {
    support::ledger_resource upstream;
    region_resource resource(&upstream);
    upstream.allocations_left = 2;
    std::vector<void*> blocks;
    const auto exhaust = [&] {
        while (true) blocks.push_back(resource.allocate(24, 8));
    };
    EXPECT_THROW(exhaust(), support::upstream_failure);
    for (const std::size_t i : sizes{7, 1000, 3000}) resource.deallocate(blocks[i], 24, 8);
    const std::set<void*> freed{blocks[7], blocks[1000], blocks[3000]};
    const std::vector<void*> again = allocate(resource, 3);
    EXPECT_EQ(std::set<void*>(again.begin(), again.end()), freed);
    EXPECT_THROW(exhaust(), support::upstream_failure);
}

TEST(region_resource, the_number_of_slabs_is_that_of_the_blocks_in_use) {
    support::ledger_resource upstream;
    region_resource resource(&upstream);
    const std::vector<void*> blocks = allocate(resource, 100'000);
    EXPECT_LE(upstream.bytes_live, std::size_t{100'000} * 24 * 5 / 4);
    for (void* const block : blocks) resource.deallocate(block, 24, 8);
}

TEST(region_resource, a_slab_that_allocation_has_left_goes_back) {
    support::ledger_resource upstream;
    region_resource resource(&upstream);
    for (void* const block : allocate(resource, 40'000)) resource.deallocate(block, 24, 8);
    EXPECT_LE(upstream.bytes_live, std::size_t{512} * 1024);  // the chunk where allocation is, and an idle one
    resource.trim();
    EXPECT_EQ(upstream.bytes_live, 0U);
    filled_block(resource, 24, 8, 1).free(resource);
}

TEST(region_resource, trim_keeps_the_slab_of_a_block_in_use) {
    support::ledger_resource upstream;
    region_resource resource(&upstream);
    const filled_block block(resource, 24, 8, 1);
    resource.trim();
    EXPECT_EQ(upstream.bytes_live, std::size_t{64} * 1024);
    EXPECT_EQ(resource.allocate(24, 8), static_cast<std::byte*>(block.begin()) + 24);
    block.free(resource);
}

TEST(region_resource, blocks_that_a_sweep_skipped_are_not_counted_as_in_use) {
    support::ledger_resource upstream;
    region_resource resource(&upstream);
    const region_resource::marker marker = resource.mark();
    for (int round = 0; round < 10; ++round) {
        void* const block = resource.allocate(24, 8);
        resource.sweep_to(marker);
        resource.deallocate(block, 24, 8);
    }
    resource.trim();
    EXPECT_EQ(upstream.bytes_live, 0U);
}

TEST(region_resource, a_marker_may_outlive_its_slab) {
    support::ledger_resource upstream;
    region_resource resource(&upstream);
    std::vector<void*> blocks = allocate(resource, 5000);
    const region_resource::marker marker = resource.mark();
    const std::vector<void*> later = allocate(resource, 30'000);
    blocks.insert(blocks.end(), later.begin(), later.end());
    const filled_block kept(resource, 24, 8, 1);
    for (void* const block : blocks) resource.deallocate(block, 24, 8);
    resource.trim();
    resource.sweep_to(marker);
    // From the first slab, which has the block that was kept.
    const filled_block next(resource, 24, 8, 2);
    EXPECT_LT(static_cast<std::byte*>(next.begin()), static_cast<std::byte*>(kept.begin()));
    EXPECT_LE(upstream.bytes_live, std::size_t{256} * 1024);
    next.free(resource);
    kept.free(resource);
}

// What only a run_length_resource promises; what every resource does is in contracts/memory_resource/.

#include <gtest/gtest.h>
#include <freehold/memory/run_length_resource.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "support/filled_block.hpp"
#include "support/ledger_resource.hpp"

using freehold::run_length_resource;
using support::filled_block;
using support::sizes;

namespace {

// Returns: `count` blocks of 24 bytes.
std::vector<void*> allocate(run_length_resource& resource, int count) {
    std::vector<void*> blocks;
    for (int i = 0; i < count; ++i) blocks.push_back(resource.allocate(24, 8));
    return blocks;
}

void deallocate(run_length_resource& resource, const std::vector<void*>& blocks) {
    for (void* const block : blocks) resource.deallocate(block, 24, 8);
}

}  // namespace

TEST(run_length_resource, blocks_freed_in_order_are_allocated_in_that_order) {
    run_length_resource resource;
    const std::vector<void*> blocks = allocate(resource, 1000);
    for (int round = 0; round < 3; ++round) {
        deallocate(resource, blocks);
        EXPECT_EQ(allocate(resource, 1000), blocks);
    }
}

TEST(run_length_resource, blocks_freed_in_reverse_are_allocated_in_order) {
    run_length_resource resource;
    const std::vector<void*> blocks = allocate(resource, 1000);
    for (int round = 0; round < 3; ++round) {
        deallocate(resource, {blocks.rbegin(), blocks.rend()});
        EXPECT_EQ(allocate(resource, 1000), blocks);
    }
}

TEST(run_length_resource, a_freed_block_in_a_run_is_not_written_to) {
    run_length_resource resource;
    std::vector<filled_block> blocks;
    for (unsigned i = 0; i < 100; ++i) blocks.emplace_back(resource, 64, 8, i);
    for (const filled_block& block : blocks) block.free(resource);
#ifndef FREEHOLD_ADDRESS_SANITIZER  // which reports that they are read
    for (std::size_t i = 1; i < blocks.size(); ++i) EXPECT_TRUE(blocks[i].is_intact()) << i;
#endif
}

TEST(run_length_resource, runs_that_do_not_meet_are_all_found_again) {
    run_length_resource resource;
    std::vector<void*> blocks = allocate(resource, 1000);
    // Runs of three blocks, none beside another.
    for (std::size_t i = 0; i + 10 < blocks.size(); i += 10) {
        for (const std::size_t j : sizes{i, i + 1, i + 2}) resource.deallocate(blocks[j], 24, 8);
    }
    std::vector<void*> again = allocate(resource, 297);
    std::sort(again.begin(), again.end());
    std::vector<void*> expected;
    for (std::size_t i = 0; i + 10 < blocks.size(); i += 10) {
        for (const std::size_t j : sizes{i, i + 1, i + 2}) expected.push_back(blocks[j]);
    }
    EXPECT_EQ(again, expected);
}

TEST(run_length_resource, a_slab_in_disorder_is_in_order_once_all_its_blocks_are_free) {
    run_length_resource resource;
    const std::vector<void*> blocks = allocate(resource, 2000);
    std::vector<void*> shuffled = blocks;
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(7));
    deallocate(resource, shuffled);
    EXPECT_EQ(allocate(resource, 2000), blocks);
}

TEST(run_length_resource, no_block_is_handed_out_twice_after_disorder) {
    run_length_resource resource;
    std::vector<void*> blocks = allocate(resource, 10'000);
    std::shuffle(blocks.begin(), blocks.end(), std::mt19937(7));
    deallocate(resource, blocks);
    std::vector<void*> again = allocate(resource, 10'000);
    std::sort(again.begin(), again.end());
    EXPECT_EQ(std::adjacent_find(again.begin(), again.end()), again.end());
}

TEST(run_length_resource, slabs_are_used_again_whichever_of_their_blocks_are_freed) {
    support::ledger_resource upstream;
    run_length_resource resource(&upstream);
    std::vector<void*> blocks = allocate(resource, 20'000);
    const int slabs = upstream.allocations;
    EXPECT_GT(slabs, 2);
    std::shuffle(blocks.begin(), blocks.end(), std::mt19937(7));
    for (int round = 0; round < 5; ++round) {
        const std::vector<void*> half(blocks.begin(), blocks.begin() + 10'000);
        deallocate(resource, half);
        const std::vector<void*> again = allocate(resource, 10'000);
        std::copy(again.begin(), again.end(), blocks.begin());
        std::shuffle(blocks.begin(), blocks.end(), std::mt19937(7));
    }
    EXPECT_EQ(upstream.allocations, slabs);
}

TEST(run_length_resource, the_slab_used_last_stays_while_its_blocks_come_and_go) {
    support::ledger_resource upstream;
    run_length_resource resource(&upstream);
    for (int i = 0; i < 1000; ++i) resource.deallocate(resource.allocate(24, 8), 24, 8);
    EXPECT_EQ(upstream.allocations, 1);
    EXPECT_EQ(upstream.deallocations, 0);
    resource.trim();
    EXPECT_EQ(upstream.bytes_live, 0U);
    filled_block(resource, 24, 8, 1).free(resource);
}

TEST(run_length_resource, a_slab_in_disorder_goes_back_once_all_its_blocks_are_free) {
    support::ledger_resource upstream;
    run_length_resource resource(&upstream);
    std::vector<void*> blocks = allocate(resource, 40'000);
    std::shuffle(blocks.begin(), blocks.end(), std::mt19937(7));
    deallocate(resource, blocks);
    EXPECT_LE(upstream.bytes_live, std::size_t{512} * 1024);  // a chunk of the current slab, and an idle one
}

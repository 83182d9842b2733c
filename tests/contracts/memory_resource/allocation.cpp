// The contract of the memory resources: blocks are aligned, have the requested size and do not overlap.

#include <cstddef>
#include <memory_resource>
#include <set>
#include <vector>

#include "families.hpp"
#include "support/filled_block.hpp"

namespace contracts {

using support::filled_block;
using support::sizes;

namespace {

// Effects: frees the blocks in an order that every resource allows.
void free_all(const std::vector<filled_block>& blocks, auto& resource) {
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) block->free(resource);
}

}  // namespace

CONTRACT(memory_resource, every_size_and_alignment_is_served) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    std::vector<filled_block> blocks;
    unsigned pattern = 0;
    for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        for (std::size_t bytes = 0; bytes <= 5000; bytes += bytes < 300 ? 1 : 677) {
            blocks.emplace_back(resource, bytes, alignment, ++pattern);
        }
    }
    free_all(blocks, resource);
}

CONTRACT(memory_resource, an_alignment_far_above_the_size_is_honored) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    std::vector<filled_block> blocks;
    for (const std::size_t alignment : sizes{1 << 12, 1 << 16, 1 << 20}) {
        for (const std::size_t bytes : sizes{0, 1, 8, 100, 70'000}) {
            blocks.emplace_back(resource, bytes, alignment, static_cast<unsigned>(bytes + alignment / 4096));
            blocks.emplace_back(resource, 3, 1, 99);
        }
    }
    free_all(blocks, resource);
}

CONTRACT(memory_resource, large_blocks_are_served) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    std::vector<filled_block> blocks;
    unsigned pattern = 0;
    for (std::size_t bytes = 1024; bytes <= std::size_t{4} << 20; bytes *= 2) {
        for (const std::size_t more : sizes{0, 1, 2}) blocks.emplace_back(resource, bytes - 1 + more, 16, ++pattern);
    }
    free_all(blocks, resource);
}

CONTRACT(memory_resource, blocks_of_no_bytes_are_distinct_and_not_null) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    std::vector<filled_block> blocks;
    std::set<void*> places;
    for (int i = 0; i < 100; ++i) {
        blocks.emplace_back(resource, 0, 1, 0);
        EXPECT_TRUE(places.insert(blocks.back().begin()).second);
    }
    free_all(blocks, resource);
}

CONTRACT(memory_resource, the_default_alignment_suits_every_fundamental_type) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    void* const before = resource.allocate(1, 1);
    void* const block = resource.allocate(24);
    EXPECT_TRUE(support::is_aligned(block, alignof(std::max_align_t)));
    resource.deallocate(block, 24);
    resource.deallocate(before, 1, 1);
}

CONTRACT(memory_resource, blocks_allocated_by_its_type_may_be_freed_by_virtual_calls_and_back) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    std::pmr::memory_resource& any = resource;
    for (const std::size_t bytes : sizes{0, 1, 24, 500, 20'000}) {
        for (const std::size_t alignment : sizes{1, 16, 64}) {
            const filled_block typed(resource, bytes, alignment, 1);
            const filled_block untyped(any, bytes, alignment, 2);
            untyped.free(resource);
            typed.free(any);
        }
    }
}

CONTRACT(memory_resource, it_is_equal_to_itself) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    const std::pmr::memory_resource& any = resource;
    EXPECT_TRUE(any.is_equal(resource));
    EXPECT_FALSE(any.is_equal(*std::pmr::null_memory_resource()));
}

CONTRACT(chained_resource, it_is_not_equal_to_another_with_the_same_upstream) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    auto other = TypeParam::make(&upstream);
    const std::pmr::memory_resource& any = resource;
    EXPECT_FALSE(any.is_equal(other));
}

CONTRACT(chained_resource, upstream_resource_returns_its_upstream) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    EXPECT_EQ(resource.upstream_resource(), &upstream);
}

CONTRACT(reusing_resource, freed_blocks_are_served_again) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    for (const std::size_t bytes : sizes{0, 1, 16, 24, 200, 1000}) {
        for (const std::size_t alignment : sizes{1, 16, 64}) {
            resource.deallocate(resource.allocate(bytes, alignment), bytes, alignment);
            const int allocations = upstream.allocations;
            for (int i = 0; i < 10'000; ++i) {
                resource.deallocate(resource.allocate(bytes, alignment), bytes, alignment);
            }
            EXPECT_EQ(upstream.allocations, allocations) << bytes << " bytes, alignment " << alignment;
        }
    }
}

}  // namespace contracts

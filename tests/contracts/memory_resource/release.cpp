// The contract of the memory resources: all memory is given back to the upstream, with the size and alignment of the
// request. The upstream of these tests checks that.

#include <cstddef>
#include <vector>

#include "families.hpp"
#include "support/filled_block.hpp"

namespace contracts {

using support::filled_block;

namespace {

// Returns: blocks of many sizes and alignments.
std::vector<filled_block> allocate_many(auto& resource) {
    std::vector<filled_block> blocks;
    for (unsigned i = 0; i < 400; ++i) {
        blocks.emplace_back(resource, i * 7, std::size_t{1} << (i % 8), i);
        if (i % 50 == 0) blocks.emplace_back(resource, i * 2000, 16, i + 1);
        if (i % 100 == 0) blocks.emplace_back(resource, 100, 8192, i + 2);
    }
    return blocks;
}

}  // namespace

CONTRACT(chained_resource, its_destructor_gives_all_memory_back) {
    support::ledger_resource upstream;
    {
        auto resource = TypeParam::make(&upstream);
        const std::vector<filled_block> blocks = allocate_many(resource);
        EXPECT_GT(upstream.allocations, 0);
        for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) block->free(resource);
    }
    EXPECT_EQ(upstream.bytes_live, 0U);
}

CONTRACT(chained_resource, an_unused_one_gives_back_what_it_took) {
    support::ledger_resource upstream;
    {
        [[maybe_unused]] auto resource = TypeParam::make(&upstream);
    }
    EXPECT_EQ(upstream.bytes_live, 0U);
}

CONTRACT(releasing_resource, its_destructor_gives_back_blocks_that_were_not_freed) {
    support::ledger_resource upstream;
    {
        auto resource = TypeParam::make(&upstream);
        allocate_many(resource);
    }
    EXPECT_EQ(upstream.bytes_live, 0U);
}

CONTRACT(releasing_resource, release_gives_everything_back) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    const std::size_t bytes_at_first = upstream.bytes_live;
    allocate_many(resource);
    resource.release();
    EXPECT_EQ(upstream.bytes_live, bytes_at_first);
}

CONTRACT(releasing_resource, it_serves_again_after_release) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    for (int round = 0; round < 3; ++round) {
        const std::vector<filled_block> blocks = allocate_many(resource);
        for (const filled_block& block : blocks) EXPECT_TRUE(block.is_intact());
        resource.release();
    }
}

CONTRACT(releasing_resource, release_may_be_called_twice_and_before_any_use) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    resource.release();
    filled_block(resource, 24, 8, 1).free(resource);
    resource.release();
    resource.release();
    EXPECT_EQ(resource.upstream_resource(), &upstream);
}

CONTRACT(releasing_resource, release_forgets_freed_and_live_blocks) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    const std::vector<filled_block> blocks = allocate_many(resource);
    for (std::size_t i = blocks.size(); i > blocks.size() / 2; --i) blocks[i - 1].free(resource);
    resource.release();
    const std::vector<filled_block> others = allocate_many(resource);
    for (auto block = others.rbegin(); block != others.rend(); ++block) block->free(resource);
}

}  // namespace contracts

// The contract of the memory resources: an upstream may use the resource that is calling it, for example to write a
// log.

#include <cstddef>
#include <vector>

#include "families.hpp"
#include "support/filled_block.hpp"
#include "support/reentering_resource.hpp"

namespace contracts {

using support::filled_block;

CONTRACT(releasing_resource, its_upstream_may_allocate_from_it) {
    support::reentering_resource upstream;
    auto resource = TypeParam::make(&upstream);
    std::vector<filled_block> within;
    upstream.use_above = [&] { within.emplace_back(resource, 40, 8, static_cast<unsigned>(within.size())); };
    std::vector<filled_block> blocks;
    for (unsigned i = 0; i < 3000; ++i) blocks.emplace_back(resource, i % 100 == 0 ? 100'000 : 40, 8, i);
    EXPECT_GT(within.size(), 1U);
    for (const filled_block& block : blocks) EXPECT_TRUE(block.is_intact());
    for (const filled_block& block : within) EXPECT_TRUE(block.is_intact());
}

CONTRACT(trimmed_resource, what_its_upstream_does_with_it_meanwhile_loses_no_block) {
    for (const std::size_t bytes : support::sizes{40, 600, 5000}) {
        support::reentering_resource upstream;
        auto resource = TypeParam::make(&upstream);
        std::vector<filled_block> blocks;
        std::vector<filled_block> within;
        const auto free_all = [&](std::vector<filled_block>& freed) {
            for (; !freed.empty(); freed.pop_back()) freed.back().free(resource);
        };
        unsigned calls = 0;
        upstream.enters_to_free = true;
        upstream.use_above = [&] {
            if (++calls % 4 == 0) free_all(within);
            within.emplace_back(resource, bytes, 8, calls);
        };
        for (int round = 0; round < 3; ++round) {
            for (unsigned i = 0; i < 1'000'000 / bytes; ++i) blocks.emplace_back(resource, bytes, 8, i);
            free_all(blocks);
            resource.trim();
        }
        upstream.use_above = nullptr;
        free_all(within);
        resource.trim();
        EXPECT_LT(upstream.ledger().bytes_live, std::size_t{1} << 16) << bytes;
    }
}

}  // namespace contracts

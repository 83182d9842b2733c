// The contract of the memory resources: an upstream may use the resource that is calling it, for example to write a
// log.

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

}  // namespace contracts

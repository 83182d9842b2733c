// The contract of the memory resources: a request that can't be served throws, and nothing has changed.

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

#include "families.hpp"
#include "support/filled_block.hpp"

namespace contracts {

using support::filled_block;
using support::sizes;

CONTRACT(chained_resource, unrepresentable_sizes_are_refused) {
    constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    const filled_block before(resource, 40, 8, 1);
    for (std::size_t alignment = 1; alignment <= std::size_t{1} << 20; alignment *= 4) {
        for (std::size_t less = 0; less < largest / 2; less = less < 100 ? less + 1 : less * 2) {
            EXPECT_THROW(static_cast<void>(resource.allocate(largest - less, alignment)), std::bad_alloc)
                << "SIZE_MAX - " << less << ", alignment " << alignment;
        }
    }
    const filled_block after(resource, 40, 8, 2);
    after.free(resource);
    before.free(resource);
}

CONTRACT(chained_resource, unrepresentable_alignments_are_refused) {
    constexpr std::size_t largest = std::numeric_limits<std::size_t>::max() / 2 + 1;
    support::ledger_resource upstream;
    upstream.bytes_limit = std::size_t{1} << 24;
    auto resource = TypeParam::make(&upstream);
    for (const std::size_t alignment : sizes{largest, largest / 2, largest / 16}) {
        for (const std::size_t bytes : sizes{1, 100, alignment - 1, alignment, alignment + 1}) {
            EXPECT_THROW(static_cast<void>(resource.allocate(bytes, alignment)), std::bad_alloc) << bytes;
        }
    }
    filled_block(resource, 40, 8, 1).free(resource);
}

CONTRACT(chained_resource, an_exception_of_the_upstream_is_passed_on_unchanged) {
    for (const std::size_t bytes : sizes{0, 1, 24, 500, 20'000, 2'000'000}) {
        for (const std::size_t alignment : sizes{1, 16, 4096}) {
            support::ledger_resource upstream;
            auto resource = TypeParam::make(&upstream);
            upstream.allocations_left = 0;
            EXPECT_THROW(static_cast<void>(resource.allocate(bytes, alignment)), support::upstream_failure)
                << bytes << " bytes, alignment " << alignment;
        }
    }
}

// Each request to the upstream fails in turn.
CONTRACT(chained_resource, after_any_failed_request_live_blocks_are_intact_and_others_are_served) {
    for (int allowed = 0;; ++allowed) {
        support::ledger_resource upstream;
        auto resource = TypeParam::make(&upstream);
        upstream.allocations_left = allowed;
        std::vector<filled_block> blocks;
        bool failed = false;
        unsigned pattern = 0;
        for (const std::size_t bytes : sizes{24, 5000, 24, 100'000, 300, 64, 700'000, 24, 5000}) {
            const std::size_t alignment = bytes == 64 ? 256 : 8;
            try {
                blocks.emplace_back(resource, bytes, alignment, ++pattern);
            } catch (const support::upstream_failure&) {
                failed = true;
                upstream.allocations_left = support::ledger_resource::unlimited;
                blocks.emplace_back(resource, bytes, alignment, ++pattern);
            }
        }
        for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) block->free(resource);
        if (!failed) break;
    }
}

CONTRACT(chained_resource, smaller_requests_are_served_after_a_large_one_failed) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    const filled_block before(resource, 24, 8, 1);
    upstream.bytes_limit = upstream.bytes_live;
    EXPECT_THROW(static_cast<void>(resource.allocate(10'000'000, 8)), support::upstream_failure);
    upstream.bytes_limit = std::size_t{1} << 24;
    const filled_block after(resource, 24, 8, 2);
    after.free(resource);
    before.free(resource);
}

CONTRACT(memory_resource, try_allocate_serves_as_allocate_does) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    struct quiet {
        typename TypeParam::resource& resource;
        void* allocate(std::size_t bytes, std::size_t alignment) { return resource.try_allocate(bytes, alignment); }
    } trying{resource};
    std::vector<filled_block> blocks;
    for (int round = 0; round < 2; ++round) {
        for (const std::size_t bytes : sizes{0, 1, 24, 512, 513, 5000, 20'000, 100'000}) {
            for (const std::size_t alignment : sizes{1, 16, 64, 4096}) {
                blocks.emplace_back(trying, bytes, alignment, static_cast<unsigned>(blocks.size()));
            }
        }
        for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) block->free(resource);
        blocks.clear();
    }
}

CONTRACT(chained_resource, try_allocate_returns_null_for_what_no_memory_has_room_for) {
    constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
    support::ledger_resource upstream;
    upstream.bytes_limit = std::size_t{1} << 24;
    auto resource = TypeParam::make(&upstream);
    for (const std::size_t bytes : sizes{largest, largest - 15, largest / 2, largest / 4}) {
        for (const std::size_t alignment : sizes{1, 16, 4096}) {
            EXPECT_EQ(resource.try_allocate(bytes, alignment), nullptr) << bytes << ", alignment " << alignment;
        }
    }
    EXPECT_EQ(resource.try_allocate(1, largest / 2 + 1), nullptr);
    filled_block(resource, 40, 8, 1).free(resource);
}

CONTRACT(chained_resource, try_allocate_returns_null_where_the_upstream_throws) {
    for (const std::size_t bytes : sizes{0, 24, 600, 5000, 20'000, 2'000'000}) {
        for (const std::size_t alignment : sizes{1, 16, 4096}) {
            support::ledger_resource upstream;
            auto resource = TypeParam::make(&upstream);
            upstream.allocations_left = 0;
            EXPECT_EQ(resource.try_allocate(bytes, alignment), nullptr) << bytes << ", alignment " << alignment;
            upstream.allocations_left = support::ledger_resource::unlimited;
            filled_block(resource, bytes, alignment, 1).free(resource);
        }
    }
}

CONTRACT(reusing_resource, after_exhaustion_all_freed_memory_is_servable_again) {
    for (const std::size_t bytes : sizes{16, 24, 100, 1000}) {
        support::ledger_resource upstream;
        upstream.bytes_limit = std::size_t{1} << 20;
        auto resource = TypeParam::make(&upstream);
        std::vector<filled_block> blocks;
        const auto exhaust = [&] {
            while (true) blocks.emplace_back(resource, bytes, 8, static_cast<unsigned>(blocks.size()));
        };
        EXPECT_THROW(exhaust(), support::upstream_failure);
        const std::size_t served = blocks.size();
        EXPECT_GT(served * bytes, std::size_t{1} << 18) << "less than a quarter of the memory is usable";
        for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) block->free(resource);
        blocks.clear();
        EXPECT_THROW(exhaust(), support::upstream_failure);
        EXPECT_GE(blocks.size(), served) << bytes << " bytes";
        for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) block->free(resource);
    }
}

}  // namespace contracts

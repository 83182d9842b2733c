// The contract of the pools whose memory comes back: a slab of which no block is in use serves any size, and goes back
// to the upstream.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "families.hpp"
#include "support/filled_block.hpp"

namespace contracts {

using support::filled_block;
using support::sizes;

namespace {

constexpr std::size_t one_slab = std::size_t{1} << 16;  // a pool for many threads keeps the records of its heaps

// Returns: blocks of `bytes` bytes, of `total` bytes together.
std::vector<filled_block> allocate_bytes(auto& resource, std::size_t bytes, std::size_t total) {
    std::vector<filled_block> blocks;
    while (blocks.size() * bytes < total) {
        blocks.emplace_back(resource, bytes, 8, static_cast<unsigned>(blocks.size()));
    }
    return blocks;
}

void free_all(auto& resource, const std::vector<filled_block>& blocks) {
    for (const filled_block& block : blocks) block.free(resource);
}

// Effects: allocates until that fails. Returns: the blocks.
std::vector<filled_block> exhaust(auto& resource, std::size_t bytes) {
    std::vector<filled_block> blocks;
    try {
        while (true) blocks.emplace_back(resource, bytes, 8, static_cast<unsigned>(blocks.size()));
    } catch (const support::upstream_failure&) {
        return blocks;
    }
}

}  // namespace

CONTRACT(returning_resource, one_size_after_another_takes_the_memory_of_one) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    constexpr std::size_t total = 4 * mebibyte;
    for (std::size_t bytes = 32; bytes <= 2048; bytes *= 2) {
        std::vector<filled_block> blocks = allocate_bytes(resource, bytes, total);
        std::shuffle(blocks.begin(), blocks.end(), std::mt19937(7));
        free_all(resource, blocks);
    }
    EXPECT_LE(upstream.bytes_peak, total * 13 / 10);
}

CONTRACT(trimmed_resource, trim_gives_all_back_once_all_is_freed) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    free_all(resource, allocate_bytes(resource, 64, 4 * mebibyte));
    resource.trim();
    EXPECT_LT(upstream.bytes_live, one_slab);
}

CONTRACT(trimmed_resource, slabs_that_were_freed_serve_another_size) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    free_all(resource, allocate_bytes(resource, 24, mebibyte));
    const std::size_t peak = upstream.bytes_peak;
    free_all(resource, allocate_bytes(resource, 2000, mebibyte / 2));
    EXPECT_EQ(upstream.bytes_peak, peak);
}

CONTRACT(trimmed_resource, empty_slabs_of_other_sizes_serve_when_the_upstream_has_none) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    filled_block(resource, 24, 8, 1).free(resource);
    upstream.allocations_left = 0;
    const filled_block block(resource, 100, 8, 2);
    EXPECT_THROW(static_cast<void>(resource.allocate(24, 8)), support::upstream_failure);
    block.free(resource);
}

CONTRACT(trimmed_resource, large_blocks_go_back_at_once) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    for (const std::size_t bytes : sizes{8193, 100'000}) {
        const filled_block block(resource, bytes, 8, 1);
        EXPECT_GE(upstream.bytes_live, bytes);
        block.free(resource);
        EXPECT_EQ(upstream.bytes_live, 0U) << bytes;
    }
}

CONTRACT(returning_resource, memory_goes_back_without_a_call) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    // Current slabs of each size, and idle ones.
    constexpr std::size_t kept = mebibyte / 2;
    for (const std::size_t bytes : sizes{24, 64, 1000}) {
        const std::vector<filled_block> first = allocate_bytes(resource, bytes, 2 * mebibyte);
        const std::vector<filled_block> second = allocate_bytes(resource, bytes, 2 * mebibyte);
        free_all(resource, first);
        EXPECT_LE(upstream.bytes_live, 5 * mebibyte / 2 + kept) << bytes;
        free_all(resource, second);
        EXPECT_LE(upstream.bytes_live, kept) << bytes;
    }
}

CONTRACT(returning_resource, a_survivor_holds_no_more_than_its_slab) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    const std::vector<filled_block> blocks = allocate_bytes(resource, 200, 8 * mebibyte);
    const std::size_t apart = blocks.size() / 16;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (i % apart != 0) blocks[i].free(resource);
    }
    constexpr std::size_t current = 4;
    constexpr std::size_t idle = 4;
    EXPECT_LE(upstream.bytes_live, (17 + current + idle) * one_slab);
    for (std::size_t i = 0; i < blocks.size(); i += apart) blocks[i].free(resource);
}

CONTRACT(trimmed_resource, trim_keeps_what_is_in_use) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    std::vector<filled_block> kept;
    for (const std::size_t bytes : sizes{24, 64, 100, 1000, 2000}) {
        const std::vector<filled_block> blocks = allocate_bytes(resource, bytes, mebibyte);
        // Every chunk but a few is empty afterwards.
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            if (i < blocks.size() / 8 && i % 7 == 0) {
                kept.push_back(blocks[i]);
            } else {
                blocks[i].free(resource);
            }
        }
        resource.trim();
    }
    EXPECT_LE(upstream.bytes_live, 2 * mebibyte);
    for (const filled_block& block : kept) EXPECT_TRUE(block.is_intact());
    const std::vector<filled_block> others = allocate_bytes(resource, 100, mebibyte);
    free_all(resource, kept);
    free_all(resource, others);
    resource.trim();
    EXPECT_LT(upstream.bytes_live, one_slab);
}

CONTRACT(returning_resource, all_memory_of_one_size_serves_another_when_the_upstream_has_none) {
    support::ledger_resource upstream;
    upstream.bytes_limit = mebibyte;
    auto resource = TypeParam::make(&upstream);
    const auto others = sizes{1000, 24, 2000, 64};
    for (const std::size_t bytes : others) {
        std::vector<filled_block> blocks = exhaust(resource, bytes);
        EXPECT_GE(blocks.size() * bytes, mebibyte * 9 / 10) << bytes;
        std::shuffle(blocks.begin(), blocks.end(), std::mt19937(7));
        free_all(resource, blocks);
    }
}

// Each keeps the slab that it has: to sort the slabs again for each of them would cost more than all else.
CONTRACT(sorting_resource, sizes_that_take_turns_have_slabs_of_their_own) {
    auto resource = TypeParam::make(std::pmr::new_delete_resource());
    const auto different =
        sizes{16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 512, 1024, 2048, 4096};
    std::set<std::uintptr_t> slabs;
    for (int round = 0; round < 5; ++round) {
        slabs.clear();
        for (const std::size_t bytes : different) {
            void* const block = resource.allocate(bytes);
            slabs.insert(reinterpret_cast<std::uintptr_t>(block) / one_slab);
            resource.deallocate(block, bytes);
        }
    }
    EXPECT_EQ(slabs.size(), different.size());
}

// Each request to the upstream fails in turn, while slabs go from size to size.
CONTRACT(trimmed_resource, nothing_is_lost_if_a_request_fails_between_sizes) {
    for (int allowed = 0;; ++allowed) {
        support::ledger_resource upstream;
        auto resource = TypeParam::make(&upstream);
        upstream.allocations_left = allowed;
        bool has_failed = false;
        std::vector<filled_block> kept;
        for (const std::size_t bytes : sizes{24, 1000, 64, 2000}) {
            std::vector<filled_block> blocks;
            while (blocks.size() * bytes < mebibyte / 2) {
                try {
                    blocks.emplace_back(resource, bytes, 8, static_cast<unsigned>(blocks.size()));
                } catch (const support::upstream_failure&) {
                    has_failed = true;
                    upstream.allocations_left = support::ledger_resource::unlimited;
                }
            }
            kept.push_back(blocks.back());
            blocks.pop_back();
            free_all(resource, blocks);
        }
        free_all(resource, kept);
        resource.trim();
        EXPECT_LT(upstream.bytes_live, one_slab) << allowed;
        if (!has_failed) break;
    }
}

CONTRACT(trimmed_resource, random_sizes_that_change_stay_apart) {
    support::ledger_resource upstream;
    auto resource = TypeParam::make(&upstream);
    std::mt19937 random(7);
    std::vector<filled_block> blocks;
    for (int phase = 0; phase < 12; ++phase) {
        const std::size_t least = std::size_t{16} << phase % 6;
        for (int i = 0; i < 3000; ++i) {
            blocks.emplace_back(resource, least + random() % least, 8, static_cast<unsigned>(random()));
        }
        std::shuffle(blocks.begin(), blocks.end(), random);
        const std::size_t kept = phase % 3 == 2 ? 0 : blocks.size() / 10;
        for (; blocks.size() > kept; blocks.pop_back()) blocks.back().free(resource);
        if (phase % 4 == 3) resource.trim();
    }
    resource.trim();
    EXPECT_LT(upstream.bytes_live, one_slab);
}

}  // namespace contracts

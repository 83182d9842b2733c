#include <gtest/gtest.h>
#include <freehold/memory/aligned_resource.hpp>
#include <freehold/memory/resource_allocator.hpp>

#include <cstddef>
#include <vector>

#include "support/filled_block.hpp"
#include "support/ledger_resource.hpp"

using freehold::aligned_resource;

TEST(aligned_resource, every_block_is_aligned_to_the_minimum_alignment) {
    support::ledger_resource upstream;
    aligned_resource resource(256, &upstream);
    for (const std::size_t alignment : support::sizes{1, 16, 128, 256}) {
        const support::filled_block block(resource, 24, alignment, 1);
        EXPECT_TRUE(support::is_aligned(block.begin(), 256));
        EXPECT_EQ(upstream.last_request.alignment, 256U);
        block.free(resource);
    }
}

TEST(aligned_resource, a_larger_alignment_is_passed_on) {
    support::ledger_resource upstream;
    aligned_resource resource(16, &upstream);
    support::filled_block(resource, 24, 4096, 1).free(resource);
    EXPECT_EQ(upstream.last_request.alignment, 4096U);
}

TEST(aligned_resource, sizes_are_passed_on_as_they_are) {
    support::ledger_resource upstream;
    aligned_resource resource(64, &upstream);
    support::filled_block(resource, 24, 8, 1).free(resource);
    EXPECT_EQ(upstream.last_request.bytes, 24U);
}

TEST(aligned_resource, it_returns_the_minimum_alignment) { EXPECT_EQ(aligned_resource(64).min_alignment(), 64U); }

TEST(aligned_resource, a_container_of_small_elements_begins_on_a_cache_line) {
    aligned_resource resource(64);
    const std::vector<char, freehold::resource_allocator<char, aligned_resource>> text(100, 'a', &resource);
    EXPECT_TRUE(support::is_aligned(text.data(), 64));
}

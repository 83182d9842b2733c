// What only a stack_resource promises; what every resource does is in contracts/memory_resource/.

#include <gtest/gtest.h>
#include <freehold/memory/stack_resource.hpp>

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <vector>

#include <freehold/memory/null_resource.hpp>
#include <freehold/memory/resource_allocator.hpp>

#include "support/filled_block.hpp"
#include "support/ledger_resource.hpp"

using freehold::stack_resource;
using support::filled_block;

TEST(stack_resource, the_memory_of_a_freed_block_is_reused_first) {
    stack_resource resource;
    void* const below = resource.allocate(100);
    void* const first = resource.allocate(1);
    resource.deallocate(first, 1);
    void* const second = resource.allocate(1000);
    EXPECT_EQ(second, first);
    resource.deallocate(second, 1000);
    resource.deallocate(below, 100);
}

TEST(stack_resource, a_freed_block_of_large_alignment_takes_its_padding_with_it) {
    stack_resource resource;
    const filled_block below(resource, 10, 1, 1);
    void* const first = resource.allocate(1);
    resource.deallocate(first, 1);
    for (std::size_t alignment = 32; alignment <= 512; alignment *= 2) {
        filled_block(resource, 10, alignment, 2).free(resource);
        void* const second = resource.allocate(1);
        EXPECT_EQ(second, first);
        resource.deallocate(second, 1);
    }
    below.free(resource);
}

TEST(stack_resource, a_chunk_that_was_left_is_entered_again_without_the_upstream) {
    support::ledger_resource upstream;
    stack_resource resource(&upstream);
    std::vector<filled_block> blocks;
    for (unsigned round = 0; round < 5; ++round) {
        for (unsigned i = 0; i < 1000; ++i) blocks.emplace_back(resource, 100, 8, i);
        for (; !blocks.empty(); blocks.pop_back()) blocks.back().free(resource);
        EXPECT_LE(upstream.allocations, 6);
    }
    EXPECT_EQ(upstream.deallocations, 0);
}

TEST(stack_resource, the_buffer_is_used_first_and_again_when_the_chunks_are_left) {
    alignas(16) std::byte buffer[64];
    support::ledger_resource upstream;
    stack_resource resource(buffer, sizeof buffer, &upstream);
    for (int round = 0; round < 3; ++round) {
        const filled_block first(resource, 64, 8, 1);
        EXPECT_EQ(first.begin(), buffer);
        const filled_block second(resource, 64, 8, 2);
        second.free(resource);
        first.free(resource);
    }
    EXPECT_EQ(upstream.allocations, 1);
}

TEST(stack_resource, a_buffer_at_an_odd_address_or_of_few_bytes_is_not_exceeded) {
    alignas(16) std::byte buffer[96];
    freehold::null_resource nothing;
    for (std::size_t offset = 0; offset < 16; ++offset) {
        for (std::size_t bytes = 0; bytes <= 48; ++bytes) {
            std::fill(std::begin(buffer), std::end(buffer), std::byte{7});
            {
                stack_resource resource(buffer + offset, bytes, &nothing);
                std::vector<filled_block> blocks;
                const auto exhaust = [&] {
                    while (true) blocks.emplace_back(resource, 8, 8, 9);
                };
                EXPECT_THROW(exhaust(), std::bad_alloc);
                for (; !blocks.empty(); blocks.pop_back()) blocks.back().free(resource);
            }
            for (std::size_t i = 0; i < sizeof buffer; ++i) {
                const bool outside = i < offset || i >= offset + bytes;
                EXPECT_TRUE(!outside || buffer[i] == std::byte{7}) << i;
            }
        }
    }
}

TEST(stack_resource, containers_that_live_like_local_variables_may_use_it) {
    using allocator = freehold::resource_allocator<int, stack_resource>;
    stack_resource resource;
    const std::vector<int, allocator> first(1000, 1, &resource);
    const std::vector<int, allocator> second(first.begin(), first.end(), &resource);
    EXPECT_EQ(first, second);
}

#include <gtest/gtest.h>
#include <freehold/core/block_arithmetic.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

using freehold::detail::alignment_of_blocks;
using freehold::detail::header_of;
using freehold::detail::index_of_block;
using freehold::detail::layout_of_slab;
using freehold::detail::reciprocal_of;
using freehold::detail::slab_bytes;

namespace {

struct alignas(256) memory {
    std::array<std::byte, 256> bytes;
};

}  // namespace

TEST(block_arithmetic, every_address_in_aligned_memory_leads_to_its_beginning) {
    memory two[2];
    for (memory& each : two) {
        for (const std::byte& byte : each.bytes) EXPECT_EQ(header_of<memory>(&byte, sizeof(memory)), &each);
    }
}

TEST(block_arithmetic, blocks_are_as_aligned_as_their_size_allows) {
    EXPECT_EQ(alignment_of_blocks(1), 1U);
    EXPECT_EQ(alignment_of_blocks(24), 8U);
    EXPECT_EQ(alignment_of_blocks(96), 32U);
    EXPECT_EQ(alignment_of_blocks(4096), 4096U);
}

TEST(block_arithmetic, blocks_follow_the_header_aligned_and_fill_the_slab) {
    for (std::size_t header = 1; header <= 200; ++header) {
        for (std::size_t bytes = 8; bytes <= 8192; bytes += 8) {
            const auto [first, count] = layout_of_slab(header, bytes);
            ASSERT_GE(first, header);
            ASSERT_LT(first - header, alignment_of_blocks(bytes));
            ASSERT_EQ(first % alignment_of_blocks(bytes), 0U);
            ASSERT_LE(first + count * bytes, slab_bytes);
            ASSERT_GT(first + (count + 1) * bytes, slab_bytes);
        }
    }
}

// The quotient does not fall while the offset grows, so it is exact if it is so for the first and the last byte of each
// block.
TEST(block_arithmetic, the_multiplication_by_a_reciprocal_divides_every_offset_in_a_slab) {
    for (std::size_t bytes = 1; bytes <= slab_bytes; ++bytes) {
        const std::uint64_t reciprocal = reciprocal_of(bytes);
        for (std::size_t block = 0; block < slab_bytes / bytes; ++block) {
            ASSERT_EQ(index_of_block(block * bytes, reciprocal), block) << bytes;
            ASSERT_EQ(index_of_block(block * bytes + bytes - 1, reciprocal), block) << bytes;
        }
        ASSERT_EQ(index_of_block(slab_bytes, reciprocal), slab_bytes / bytes) << bytes;
    }
}

TEST(block_arithmetic, the_reciprocal_0_has_one_block) {
    for (std::size_t offset = 0; offset <= slab_bytes; ++offset) ASSERT_EQ(index_of_block(offset, 0), 0U);
}

static_assert(layout_of_slab(40, 16).count == 4093, "a constant expression");

#include <gtest/gtest.h>
#include <freehold/core/annotate.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

TEST(annotate, annotations_leave_the_bytes_alone) {
    alignas(16) std::array<unsigned char, 64> memory;
    memory.fill(7);
    freehold::detail::annotate_free(memory.data(), memory.size());
    freehold::detail::annotate_allocated(memory.data(), memory.size());
    EXPECT_TRUE(std::ranges::all_of(memory, [](unsigned char byte) { return byte == 7; }));
}

TEST(annotate, what_a_pool_has_written_into_a_block_is_read_although_it_is_free) {
    alignas(16) std::array<std::size_t, 4> block{1, 2, 3, 4};
    freehold::detail::annotate_free(block.data(), sizeof(block));
    EXPECT_EQ(freehold::detail::read_free(block.data()), 1U);
    freehold::detail::annotate_allocated(block.data(), sizeof(block));
}

#ifdef FREEHOLD_ADDRESS_SANITIZER

TEST(annotate, free_bytes_are_poisoned_until_they_are_allocated) {
    alignas(16) std::array<std::byte, 64> memory{};
    freehold::detail::annotate_free(&memory[16], 32);
    EXPECT_FALSE(__asan_address_is_poisoned(&memory[15]));
    EXPECT_TRUE(__asan_address_is_poisoned(&memory[16]));
    EXPECT_TRUE(__asan_address_is_poisoned(&memory[47]));
    EXPECT_FALSE(__asan_address_is_poisoned(&memory[48]));
    freehold::detail::annotate_allocated(&memory[16], 20);
    EXPECT_FALSE(__asan_address_is_poisoned(&memory[35]));
    EXPECT_TRUE(__asan_address_is_poisoned(&memory[36]));
    freehold::detail::annotate_allocated(&memory[16], 32);
}

#endif

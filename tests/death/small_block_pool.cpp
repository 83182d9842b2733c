#include <freehold/core/annotate.hpp>
#include <freehold/memory/small_block_pool.hpp>

#include "support/precondition.hpp"

using freehold::small_block_pool;

TEST(small_block_pool_death, nothing_and_too_much_are_not_allocated) {
    EXPECT_PRECONDITION(small_block_pool::allocate(0), "bytes > 0");
    EXPECT_PRECONDITION(small_block_pool::allocate(small_block_pool::largest + 1), "bytes > 0");
}

TEST(small_block_pool_death, what_can_not_be_allocated_is_not_freed) {
    void* const block = small_block_pool::allocate(16);
    EXPECT_PRECONDITION(small_block_pool::deallocate(nullptr, 16), "block != nullptr");
    EXPECT_PRECONDITION(small_block_pool::deallocate(block, 0), "block != nullptr");
    EXPECT_PRECONDITION(small_block_pool::deallocate(block, small_block_pool::largest + 1), "block != nullptr");
    small_block_pool::deallocate(block, 16);
}

TEST(small_block_pool_death, a_block_is_freed_with_its_size) {
    void* const block = small_block_pool::allocate(16);
    EXPECT_PRECONDITION(small_block_pool::deallocate(block, 17), "origin->block_class == block_class");
    small_block_pool::deallocate(block, 16);
}

#ifdef FREEHOLD_ADDRESS_SANITIZER

TEST(small_block_pool_death, the_sanitizer_reports_a_use_of_a_freed_block) {
    auto* const block = static_cast<volatile char*>(small_block_pool::allocate(64));
    block[0] = 1;
    small_block_pool::deallocate(const_cast<char*>(block), 64);
    EXPECT_DEATH(block[0] = 2, "use-after-poison");
    EXPECT_DEATH(block[63] = 2, "use-after-poison");
}

TEST(small_block_pool_death, the_sanitizer_reports_a_use_beyond_the_bytes_asked_for) {
    auto* const block = static_cast<volatile char*>(small_block_pool::allocate(56));
    block[55] = 1;
    EXPECT_DEATH(block[56] = 2, "use-after-poison");
    small_block_pool::deallocate(const_cast<char*>(block), 56);
}

TEST(small_block_pool_death, the_sanitizer_reports_a_use_of_a_block_that_was_never_allocated) {
    auto* const block = static_cast<volatile char*>(small_block_pool::allocate(256));
    // Neighbors are cut at once and handed out one by one.
    EXPECT_DEATH(block[256] = 2, "use-after-poison");
    small_block_pool::deallocate(const_cast<char*>(block), 256);
}

#endif

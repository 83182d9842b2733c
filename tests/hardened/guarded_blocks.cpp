// Every third block of the pool lies on pages of its own.

#include <freehold/memory/detail/guarded_blocks.hpp>
#include <freehold/memory/hardening.hpp>
#include <freehold/memory/small_block_pool.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

using freehold::small_block_pool;
using freehold::detail::guarded_blocks;

namespace {

constexpr std::size_t bytes = 48;

bool is_guarded(void* block) { return guarded_blocks::find(block) != nullptr; }

bool begins_page(const void* block) { return reinterpret_cast<std::uintptr_t>(block) % guarded_blocks::page == 0; }

// Returns: a block of the pool on pages of its own, at the beginning of its page or at the end.
volatile char* guarded(bool at_begin) {
    for (int i = 0; i < 1000; ++i) {
        void* const block = small_block_pool::allocate(bytes);
        if (is_guarded(block) && begins_page(block) == at_begin) return static_cast<volatile char*>(block);
        small_block_pool::deallocate(block, bytes);
    }
    std::abort();
}

void free(volatile char* block) { small_block_pool::deallocate(const_cast<char*>(block), bytes); }

class guarded_block : public testing::Test {
protected:
    static void SetUpTestSuite() {
        ::setenv("FREEHOLD_GUARD_RATE", "3", 1);
        ASSERT_TRUE(freehold::report_guarded_faults());
    }

    const testing::KilledBySignal killed{SIGSEGV};
};

}  // namespace

TEST_F(guarded_block, one_in_three_is) {
    std::vector<void*> blocks;
    int found = 0;
    for (int i = 0; i < 300; ++i) {
        blocks.push_back(small_block_pool::allocate(bytes));
        found += is_guarded(blocks.back());
    }
    EXPECT_GT(found, 50);
    EXPECT_LT(found, 200);
    for (void* const each : blocks) small_block_pool::deallocate(each, bytes);
}

TEST_F(guarded_block, a_use_after_free_is_reported_with_both_calls) {
    volatile char* const block = guarded(true);
    block[5] = 1;
    free(block);
    EXPECT_EXIT(block[5] = 2, killed,
                "used after it was freed: byte 5 of 48 bytes(.|\n)*allocated by:(.|\n)*freed by:");
}

TEST_F(guarded_block, an_overrun_is_reported) {
    volatile char* const block = guarded(false);
    block[47] = 1;
    EXPECT_EXIT(block[48] = 1, killed, "beyond its bounds: byte 1 past the end of 48 bytes");
    free(block);
}

TEST_F(guarded_block, an_underrun_is_reported) {
    volatile char* const block = guarded(true);
    EXPECT_EXIT(block[-2] = 1, killed, "beyond its bounds: byte 2 before the begin of 48 bytes");
    free(block);
}

TEST_F(guarded_block, it_is_freed_once_and_at_its_beginning) {
    volatile char* const block = guarded(false);
    EXPECT_DEATH(free(block + 16), "not the beginning of a block");
    EXPECT_DEATH(free(block - 48), "not the beginning of a block");
    free(block);
    EXPECT_DEATH(free(block), "freed twice");
}

TEST_F(guarded_block, any_thread_frees_it) {
    volatile char* const block = guarded(true);
    std::thread([=] { free(block); }).join();
    EXPECT_EXIT(block[0] = 1, killed, "used after it was freed");
}

TEST_F(guarded_block, the_pages_of_freed_blocks_are_used_again_last) {
    volatile char* const block = guarded(true);
    free(block);
    for (int i = 0; i < 50; ++i) {
        volatile char* const other = guarded(true);
        ASSERT_NE(other, block);
        free(other);
    }
}

TEST_F(guarded_block, all_pages_may_be_in_use) {
    std::vector<void*> blocks;
    for (int i = 0; i < 3000; ++i) blocks.push_back(small_block_pool::allocate(bytes));
    for (void* const each : blocks) static_cast<char*>(each)[47] = 1;
    for (void* const each : blocks) small_block_pool::deallocate(each, bytes);
}

// The rest of the program's handlers are asked next.
TEST_F(guarded_block, another_fault_ends_the_program_as_usual) {
    volatile char* volatile nowhere = nullptr;
    EXPECT_EXIT(*nowhere = 1, killed, "^$");
}

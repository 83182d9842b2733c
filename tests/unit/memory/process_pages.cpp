// Which pages the process's allocator asks the system for. When it gives them back, tests/malloc/ checks.

#include <freehold/memory/detail/process_pages.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "support/page_advice.hpp"

using freehold::detail::huge_page;
using freehold::detail::page_granule;
using freehold::detail::page_range;
using freehold::detail::pages_for;
using freehold::detail::process_pages;
using support::page_advice;

namespace {

constexpr std::size_t slab = std::size_t{1024} * 1024;
constexpr int first_slabs = 16;  // of a small process
constexpr std::size_t block = std::size_t{400} * 1024;

struct process_pages_of_a_process : testing::Test {
    void SetUp() override {
        if (!support::takes_page_advice()) GTEST_SKIP() << "the system has no huge pages";
    }

    void TearDown() override {
        process_pages::prefers_huge_pages = true;
        while (true) {
            const page_range rest = pages.take_any();
            if (rest.bytes == 0) break;
            process_pages::give_back(rest);
        }
    }

    std::byte* take(std::size_t bytes, pages_for use, std::size_t written) {
        void* const begin = pages.take(bytes, page_granule, use).begin;
        EXPECT_NE(begin, nullptr);
        return static_cast<std::byte*>(std::memset(begin, 1, written));
    }

    // Returns: what was asked for the last of `count` such blocks.
    page_advice after(int count, std::size_t bytes, pages_for use, std::size_t written) {
        std::byte* last = nullptr;
        for (int i = 0; i < count; ++i) last = take(bytes, use, written);
        return support::page_advice_of(last);
    }

    // Returns: how many of `count` such blocks have huge pages.
    int count_huge(int count, std::size_t bytes, std::size_t written) {
        int found = 0;
        for (int i = 0; i < count; ++i) {
            const std::byte* const taken = take(bytes, pages_for::blocks, written);
            if (support::page_advice_of(taken) == page_advice::huge) ++found;
        }
        return found;
    }

    process_pages pages;
};

}  // namespace

TEST_F(process_pages_of_a_process, slabs_get_huge_ones_but_not_in_a_small_process) {
    EXPECT_EQ(after(first_slabs, slab, pages_for::slabs, 1), page_advice::small);
    EXPECT_EQ(after(1, slab, pages_for::slabs, 1), page_advice::huge);
}

TEST_F(process_pages_of_a_process, blocks_of_which_little_is_written_get_small_ones) {
    EXPECT_EQ(count_huge(40, block, 1000), 0);
    EXPECT_EQ(count_huge(10, 2 * huge_page, 1000), 0);
    EXPECT_EQ(after(1, block, pages_for::blocks, 1000), page_advice::small);
    EXPECT_EQ(after(1, huge_page, pages_for::blocks, 1000), page_advice::small);
}

TEST_F(process_pages_of_a_process, slabs_do_not_share_a_region_with_blocks) {
    after(first_slabs, slab, pages_for::slabs, 1);
    for (int i = 0; i < 10; ++i) {
        EXPECT_NE(after(1, slab, pages_for::slabs, 1), page_advice::small);
        EXPECT_EQ(after(1, block, pages_for::blocks, 1), page_advice::small);
    }
}

TEST_F(process_pages_of_a_process, blocks_that_are_written_all_over_get_huge_ones) {
    EXPECT_GT(count_huge(40, block, block), 0);
    EXPECT_GT(count_huge(10, 2 * huge_page, 2 * huge_page), 0);
}

TEST_F(process_pages_of_a_process, small_blocks_teach_nothing_of_those_with_a_mapping_of_their_own) {
    EXPECT_GT(count_huge(40, block, block), 0);
    EXPECT_EQ(count_huge(10, 2 * huge_page, 1000), 0);
}

TEST_F(process_pages_of_a_process, a_freed_block_teaches_before_its_pages_go_back) {
    constexpr std::size_t bytes = 2 * huge_page;
    std::byte* const first = take(bytes, pages_for::blocks, bytes);
    ASSERT_TRUE(pages.keep({first, bytes}));
    for (page_range idle = pages.take_any(); idle.bytes != 0; idle = pages.take_any()) process_pages::give_back(idle);
    EXPECT_GT(count_huge(1, bytes, bytes), 0);
}

TEST_F(process_pages_of_a_process, nothing_gets_huge_ones_that_are_not_wanted) {
    process_pages::prefers_huge_pages = false;
    EXPECT_EQ(after(8, slab, pages_for::slabs, 1), page_advice::small);
    EXPECT_EQ(count_huge(40, block, block), 0);
    EXPECT_EQ(count_huge(10, 2 * huge_page, 2 * huge_page), 0);
}

#include <freehold/core/platform/page_changes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "support/emulation.hpp"
#include "support/page_advice.hpp"

using namespace freehold::detail;

namespace {

constexpr std::size_t bytes = 16 * page_granule;

struct some_pages {
    some_pages() : begin(static_cast<std::byte*>(take_pages(bytes, page_granule))) { std::memset(begin, 1, bytes); }
    some_pages(const some_pages&) = delete;
    some_pages& operator=(const some_pages&) = delete;
    ~some_pages() {
        if (begin != nullptr) give_back_pages(begin, bytes);
    }

    std::byte* begin;
};

}  // namespace

TEST(page_changes, pages_that_were_opened_again_are_as_they_were) {
    const some_pages pages;
    ASSERT_TRUE(close_pages(pages.begin, bytes));
    ASSERT_TRUE(open_pages(pages.begin, bytes));
    EXPECT_EQ(std::count(pages.begin, pages.begin + bytes, std::byte{1}), static_cast<std::ptrdiff_t>(bytes));
}

TEST(page_changes_death, an_access_to_closed_pages_is_a_fault) {
    const some_pages pages;
    ASSERT_TRUE(close_pages(pages.begin, page_granule));
    EXPECT_DEATH(*static_cast<volatile std::byte*>(pages.begin) = std::byte{2}, "");
}

TEST(page_changes, a_page_is_mapped_until_it_goes_back) {
    some_pages pages;
    const auto address = reinterpret_cast<std::uintptr_t>(pages.begin);
    EXPECT_TRUE(is_mapped(address));
    give_back_pages(pages.begin, bytes);
    EXPECT_FALSE(is_mapped(address));
    pages.begin = nullptr;
}

TEST(page_changes, a_page_is_untouched_until_its_first_use) {
    void* const memory = take_pages(bytes, page_granule);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(state_of_page(memory), page_state::untouched);
    *static_cast<volatile std::byte*>(memory) = std::byte{1};
    EXPECT_EQ(state_of_page(memory), page_state::resident);
    give_back_pages(memory, bytes);
    EXPECT_EQ(state_of_page(memory), page_state::unmapped);
}

TEST(page_changes, pages_may_be_asked_for_by_their_size) {
    if (!support::takes_page_advice()) GTEST_SKIP() << "the system has no huge pages";
    void* const memory = take_pages(bytes, page_granule);
    ASSERT_NE(memory, nullptr);
    prefer_small_pages(memory, bytes);
    EXPECT_EQ(support::page_advice_of(memory), support::page_advice::small);
    prefer_huge_pages(memory, bytes);
    EXPECT_EQ(support::page_advice_of(memory), support::page_advice::huge);
    give_back_pages(memory, bytes);
}

TEST(page_changes, populated_pages_are_zeros_and_huge_ones_are_a_wish) {
    void* const memory = take_pages(bytes, page_granule);
    ASSERT_NE(memory, nullptr);
    prefer_huge_pages(memory, bytes);
    populate_pages(memory, bytes);
    const auto* const begin = static_cast<const std::byte*>(memory);
    EXPECT_EQ(std::count(begin, begin + bytes, std::byte{0}), static_cast<std::ptrdiff_t>(bytes));
    give_back_pages(memory, bytes);
}

TEST(page_changes, what_is_in_pages_moves_to_others) {
    some_pages from;
    const some_pages to;
    std::memset(from.begin, 3, bytes);
    ASSERT_TRUE(move_pages(from.begin, to.begin, bytes));
    from.begin = nullptr;
    EXPECT_EQ(std::count(to.begin, to.begin + bytes, std::byte{3}), static_cast<std::ptrdiff_t>(bytes));
}

TEST(page_changes, pages_grow_where_there_is_room) {
    if (support::is_emulated() && sizeof(void*) == 4) GTEST_SKIP() << "the emulator reserves all addresses of 32 bits";
    const some_pages pages;
    give_back_pages(pages.begin + bytes / 2, bytes / 2);
    const page_growth grown = grow_pages(pages.begin, bytes / 2, bytes);
    if (grown == page_growth::must_be_copied) GTEST_SKIP() << "the system lets no pages grow";
    EXPECT_EQ(grown, page_growth::done);
    EXPECT_EQ(pages.begin[bytes / 2 - 1], std::byte{1});
    EXPECT_EQ(pages.begin[bytes - 1], std::byte{0});
}

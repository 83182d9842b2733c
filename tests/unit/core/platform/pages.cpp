#include <gtest/gtest.h>
#include <freehold/core/platform/pages.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

using freehold::detail::allocate_pages;
using freehold::detail::free_pages;

TEST(system_pages, are_zeros) {
    auto* const memory = static_cast<unsigned char*>(allocate_pages(100'000));
    EXPECT_EQ(std::count(memory, memory + 100'000, 0), 100'000);
    free_pages(memory, 100'000);
}

TEST(system_pages, are_null_if_there_are_none) { EXPECT_EQ(allocate_pages(SIZE_MAX / 8 * 7), nullptr); }

TEST(pages, are_aligned_as_asked_for) {
    using namespace freehold::detail;
    for (const auto take : {take_pages, take_aligned_pages}) {
        for (std::size_t alignment = page_granule; alignment <= huge_page; alignment *= 2) {
            void* const memory = take(page_granule, alignment);
            ASSERT_NE(memory, nullptr);
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0U);
            give_back_pages(memory, page_granule);
        }
    }
}

TEST(pages, are_zeros_again_when_they_were_discarded) {
    using namespace freehold::detail;
    auto* const memory = static_cast<unsigned char*>(take_pages(4 * page_granule, page_granule));
    std::fill(memory, memory + 4 * page_granule, 1);
    discard_pages(memory + page_granule, page_granule);
    EXPECT_EQ(std::count(memory, memory + 4 * page_granule, 0), static_cast<std::ptrdiff_t>(page_granule));
    give_back_pages(memory, 4 * page_granule);
}

TEST(pages, of_addresses_no_two_are_the_same) {
    void* const first = freehold::detail::take_address();
    void* const second = freehold::detail::take_address();
    EXPECT_NE(first, nullptr);
    EXPECT_NE(first, second);
    freehold::detail::free_address(first);
    freehold::detail::free_address(second);
}

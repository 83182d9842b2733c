#include <gtest/gtest.h>
#include <freehold/core/system_pages.hpp>

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

TEST(system_pages, are_null_if_there_are_none) { EXPECT_EQ(allocate_pages(SIZE_MAX / 2), nullptr); }

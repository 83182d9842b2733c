#include <gtest/gtest.h>
#include <freehold/core/alignment.hpp>

#include <cstddef>
#include <limits>

using freehold::detail::round_up;

TEST(round_up, a_multiple_stays_as_it_is) {
    EXPECT_EQ(round_up(0, 16), 0U);
    EXPECT_EQ(round_up(16, 16), 16U);
    EXPECT_EQ(round_up(4096, 64), 4096U);
}

TEST(round_up, what_lies_between_goes_up_to_the_next_multiple) {
    for (std::size_t bytes = 33; bytes <= 48; ++bytes) EXPECT_EQ(round_up(bytes, 16), 48U) << bytes;
}

TEST(round_up, an_alignment_of_one_changes_nothing) {
    for (std::size_t bytes = 0; bytes < 10; ++bytes) EXPECT_EQ(round_up(bytes, 1), bytes);
}

TEST(round_up, every_power_of_two_is_an_alignment) {
    for (std::size_t alignment = 1; alignment != 0; alignment *= 2) {
        EXPECT_EQ(round_up(1, alignment), alignment);
        EXPECT_EQ(round_up(alignment, alignment), alignment);
    }
}

TEST(round_up, the_greatest_multiple_is_reached) {
    constexpr std::size_t last = std::numeric_limits<std::size_t>::max();
    EXPECT_EQ(round_up(last - 15, 16), last - 15);
    EXPECT_EQ(round_up(last - 30, 16), last - 15);
}

static_assert(round_up(17, 8) == 24, "a constant expression");

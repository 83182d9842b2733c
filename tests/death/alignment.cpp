#include <freehold/core/alignment.hpp>

#include "support/precondition.hpp"

TEST(round_up_death, an_alignment_is_a_power_of_two) {
    EXPECT_PRECONDITION(freehold::detail::round_up(8, 0), "std::has_single_bit");
    EXPECT_PRECONDITION(freehold::detail::round_up(8, 24), "std::has_single_bit");
}

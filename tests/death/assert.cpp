#include <gtest/gtest.h>
#include <freehold/core/assert.hpp>

#include "support/precondition.hpp"

TEST(expects_death, a_condition_that_does_not_hold_ends_the_program) {
    const int value = 1;
    EXPECT_PRECONDITION(FREEHOLD_EXPECTS(value == 2), "value == 2");
}

TEST(expects_death, the_message_names_file_and_line) {
    EXPECT_DEATH(freehold::detail::precondition_failed("condition", "file.hpp", 17),
                 "^file.hpp:17: freehold: precondition failed: condition\n$");
}

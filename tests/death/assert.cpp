#include <gtest/gtest.h>
#include <freehold/core/assert.hpp>

#include <cstdio>
#include <stdexcept>

#include "support/precondition.hpp"

namespace {

void tell(const freehold::precondition_failure& failure) {
    std::fprintf(stderr, "handled: %s|%s|%s\n", failure.condition, failure.meaning, failure.type);
}

void throw_it(const freehold::precondition_failure&) { throw std::logic_error("thrown by a handler"); }

void fail_with(freehold::precondition_handler handler) {
    freehold::set_precondition_handler(handler);
    freehold::detail::precondition_failed("condition", "file.hpp", 17, "meaning", "type");
}

}  // namespace

TEST(expects_death, a_condition_that_does_not_hold_aborts_the_program) {
    const int value = 1;
    EXPECT_PRECONDITION(FREEHOLD_EXPECTS(value == 2), "value == 2");
}

TEST(expects_death, the_message_says_what_happened_to_which_type) {
    const int value = 1;
    EXPECT_PRECONDITION(FREEHOLD_EXPECTS(value == 2, "one is not two", "number"),
                        "value == 2\n    one is not two\n    type: number\n    checked at: .*assert.cpp:");
}

TEST(expects_death, the_message_leaves_out_what_is_not_known) {
    EXPECT_DEATH(freehold::detail::precondition_failed("condition", "file.hpp", 17),
                 "^freehold: precondition failed: condition\n    checked at: file.hpp:17\n");
}

TEST(expects_death, a_handler_is_told_and_the_program_ends_when_it_returns) {
    EXPECT_EXIT(fail_with(tell), testing::KilledBySignal(SIGABRT), "^handled: condition[|]meaning[|]type\n$");
}

TEST(expects_death, a_handler_that_throws_terminates_the_program) {
    EXPECT_EXIT(fail_with(throw_it), testing::KilledBySignal(SIGABRT), "thrown by a handler");
}

TEST(expects_death, null_restores_the_message) {
    freehold::set_precondition_handler(tell);
    EXPECT_DEATH(fail_with(nullptr), "precondition failed: condition");
    freehold::set_precondition_handler(nullptr);
}

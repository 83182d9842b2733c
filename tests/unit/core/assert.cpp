// What happens when a condition does not hold is tested in death/assert.cpp.

#include <gtest/gtest.h>
#include <freehold/core/assert.hpp>

namespace {

constexpr int half(int even) {
    FREEHOLD_EXPECTS(even % 2 == 0);
    return even / 2;
}

}  // namespace

static_assert(half(8) == 4, "a constant expression may check its preconditions");

#ifndef NDEBUG
TEST(expects, the_condition_is_evaluated_once) {
    int evaluated = 0;
    FREEHOLD_EXPECTS(++evaluated == 1);
    EXPECT_EQ(evaluated, 1);
}
#endif

TEST(expects, it_is_one_statement) {
    bool reached = false;
    if (half(2) == 1)
        FREEHOLD_EXPECTS(true);
    else
        reached = true;
    EXPECT_FALSE(reached);
}

TEST(precondition_handler, there_is_none_at_first_and_setting_one_returns_the_one_before) {
    const freehold::precondition_handler handler = [](const freehold::precondition_failure&) {};
    EXPECT_EQ(freehold::get_precondition_handler(), nullptr);
    EXPECT_EQ(freehold::set_precondition_handler(handler), nullptr);
    EXPECT_EQ(freehold::get_precondition_handler(), handler);
    EXPECT_EQ(freehold::set_precondition_handler(nullptr), handler);
}

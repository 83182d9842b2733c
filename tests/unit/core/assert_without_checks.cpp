// assert.hpp as users of NDEBUG see it. It comes after the other headers, which must not see this NDEBUG.

#include <gtest/gtest.h>

#ifndef NDEBUG
#define NDEBUG
#endif
#include <freehold/core/assert.hpp>

TEST(expects_with_ndebug, the_condition_is_not_evaluated) {
    bool evaluated = false;
    const auto evaluate = [&evaluated] { return evaluated = true; };
    FREEHOLD_EXPECTS(!evaluate());
    EXPECT_FALSE(evaluated);
    evaluate();
}

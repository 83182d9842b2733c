#pragma once
// EXPECT_PRECONDITION: the statement must end the program, because the named condition does not hold.
//
// With NDEBUG nothing is checked, and neither is it here.

#include <gtest/gtest.h>

#ifdef NDEBUG
#define EXPECT_PRECONDITION(statement, condition) GTEST_SKIP() << "preconditions are not checked"
#else
#define EXPECT_PRECONDITION(statement, condition) \
    EXPECT_DEATH(static_cast<void>(statement), "freehold: precondition failed: " condition)
#endif

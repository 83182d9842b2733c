#include <freehold/core/platform/at_fork.hpp>

#include <gtest/gtest.h>

#include "support/child.hpp"

namespace {

int before = 0;
int in_parent = 0;
int in_child = 0;

void count_before() { ++before; }
void count_in_parent() { ++in_parent; }
void count_in_child() { ++in_child; }

}  // namespace

TEST(at_fork, each_handler_is_called_once_in_a_fork_however_often_it_was_registered) {
    if (!support::can_fork) GTEST_SKIP() << "the system has no fork";
    for (int i = 0; i < 3; ++i) freehold::detail::at_fork<&count_before, &count_in_parent, &count_in_child>();
    EXPECT_EQ(support::in_child([] { return before == 1 && in_parent == 0 && in_child == 1 ? 0 : 1; }), 0);
    EXPECT_EQ(before, 1);
    EXPECT_EQ(in_parent, 1);
    EXPECT_EQ(in_child, 0);
}

TEST(at_fork, handlers_may_be_left_out) {
    if (!support::can_fork) GTEST_SKIP() << "the system has no fork";
    freehold::detail::at_fork<nullptr, nullptr, &count_in_child>();
    EXPECT_EQ(support::in_child([] { return in_child > 0 ? 0 : 1; }), 0);
}

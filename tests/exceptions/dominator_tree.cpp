// A dominator tree whose allocations fail in turn: nothing is left, and a tree that it was to replace stays.

#include <gtest/gtest.h>
#include <freehold/diagnosis/dominator_tree.hpp>

#include "support/allocation_failure.hpp"
#include "support/built_snapshot.hpp"
#include "support/limited_new.hpp"

using freehold::dominator_tree;
using freehold::heap_snapshot;
using support::built;

TEST(dominator_tree_failure, an_allocation_that_fails_changes_nothing) {
    const heap_snapshot small = built().object(0, {}, 10).root(0).finish();
    const heap_snapshot large =
        built().object(0, {1, 2}).object(0, {3}).object(1, {3, 0}).object(2, {}).root(0).finish();
    dominator_tree tree(small);
    const long blocks = support::limited_new::living();
    const int failures = support::fail_each_allocation(
        [&](int allowed) {
            const support::limited_new few(allowed);
            tree = dominator_tree(large);
        },
        [&] {
            EXPECT_EQ(support::limited_new::living(), blocks);
            EXPECT_EQ(tree.size(), 1U);
            EXPECT_EQ(tree.retained_bytes(0), 14U);
        });
    EXPECT_GT(failures, 10);
    EXPECT_EQ(tree.retained_bytes(0), 16U);
    EXPECT_EQ(support::limited_new::living(), blocks);
}

TEST(dominator_tree_failure, a_report_that_fails_leaves_nothing) {
    const heap_snapshot snapshot = built().object(0, {1}).object(1, {0}).root(0).finish();
    const dominator_tree tree(snapshot);
    const long blocks = support::limited_new::living();
    const auto expect_nothing_left = [&](auto operation) {
        const int failures = support::fail_each_allocation(
            [&](int allowed) {
                const support::limited_new few(allowed);
                static_cast<void>(operation());
            },
            [&] { EXPECT_EQ(support::limited_new::living(), blocks); });
        EXPECT_GT(failures, 0);
    };
    expect_nothing_left([&] { return retained_by_type(snapshot, tree); });
    expect_nothing_left([&] { return largest_retained(snapshot, tree, 2); });
    expect_nothing_left([&] { return tree.largest(2); });
    expect_nothing_left([&] { return referrers_of(snapshot, 1); });
}

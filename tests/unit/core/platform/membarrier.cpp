#include <freehold/core/platform/membarrier.hpp>

#include <gtest/gtest.h>

#include "support/child.hpp"
#include "support/forbidden_membarrier.hpp"

using freehold::detail::fence_all_threads;
using freehold::detail::prepare_fences;

TEST(membarrier, a_process_that_has_prepared_it_may_use_it_and_so_may_its_child) {
    if (!prepare_fences()) GTEST_SKIP() << "the system has none";
    EXPECT_TRUE(fence_all_threads());
    if (!support::can_fork) GTEST_SKIP() << "the system has no fork";
    EXPECT_EQ(support::in_child([] { return fence_all_threads() ? 0 : 1; }), 0);
}

TEST(membarrier, a_system_that_refuses_it_says_so) {
    support::expect_without_membarrier([] {}, [] { return !prepare_fences() && !fence_all_threads(); });
}

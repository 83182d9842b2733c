#define FREEHOLD_HARDENED  // or it has fewer functions; nothing that allocates is used here

#include <freehold/core/platform/process.hpp>

#include <gtest/gtest.h>

#include <cstdint>

#include "support/child.hpp"

using freehold::detail::secret_of_process;

TEST(process, a_machine_has_processors) { EXPECT_GT(freehold::detail::count_processors(), 0U); }

TEST(process, its_secret_stays_the_same) {
    EXPECT_NE(secret_of_process(), 0U);
    EXPECT_EQ(secret_of_process(), secret_of_process());
}

TEST(process, its_secret_stays_the_same_also_in_a_child) {
    if (!support::can_fork) GTEST_SKIP() << "the system has no fork";
    const std::uint64_t secret = secret_of_process();
    EXPECT_EQ(support::in_child([secret] { return secret_of_process() == secret ? 0 : 1; }), 0);
}

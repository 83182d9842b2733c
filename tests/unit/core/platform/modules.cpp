#include <freehold/core/platform/modules.hpp>

#include <gtest/gtest.h>

#include <memory>

namespace {

constexpr int constant = 7;
int variable = 8;

}  // namespace

TEST(modules, hold_constants) { EXPECT_TRUE(freehold::detail::is_in_module(&constant)); }

TEST(modules, hold_variables) { EXPECT_TRUE(freehold::detail::is_in_module(&variable)); }

TEST(modules, do_not_hold_what_is_allocated) {
    const auto allocated = std::make_unique<int>(9);
    EXPECT_FALSE(freehold::detail::is_in_module(allocated.get()));
}

TEST(modules, do_not_hold_a_stack) {
    const int local = 10;
    EXPECT_FALSE(freehold::detail::is_in_module(&local));
}

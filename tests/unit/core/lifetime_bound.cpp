#include <gtest/gtest.h>
#include <freehold/core/lifetime_bound.hpp>

namespace {

struct reference {
    constexpr explicit reference(const int& referred FREEHOLD_LIFETIME_BOUND) : target(&referred) {}

    const int* target;
};

}  // namespace

TEST(lifetime_bound, a_parameter_that_is_referred_to_can_be_marked) {
    const int target = 7;
    EXPECT_EQ(reference(target).target, &target);
}

// What a limit says to the lanes. How many objects wait is tested in contracts/reclamation_domain/limits.cpp.

#include <gtest/gtest.h>
#include <freehold/reclamation/detail/reclamation_threading.hpp>
#include <freehold/reclamation/reclamation_limits.hpp>

#include <cstddef>

namespace {

using freehold::detail::adjustable_limits;

struct limits_of : adjustable_limits {
    explicit limits_of(std::size_t objects, std::size_t bytes_of_each = 256) {
        set({.objects = objects, .bytes = objects * bytes_of_each});
    }
};

}  // namespace

TEST(reclamation_limits, an_examination_is_due_after_four_ninths_of_the_objects) {
    EXPECT_EQ(adjustable_limits().fence_period(), 4096U);
    EXPECT_EQ(limits_of(9'216).fence_period(), 4096U);
    EXPECT_EQ(limits_of(144).fence_period(), 64U);
}

TEST(reclamation_limits, a_lane_enters_what_it_retires_in_the_ledger_in_64_parts) {
    EXPECT_EQ(adjustable_limits().chunk(), 64U);
    EXPECT_EQ(limits_of(144).chunk(), 1U);
    EXPECT_EQ(limits_of(150).chunk(), 2U);  // of 66
}

TEST(reclamation_limits, an_object_counts_once_for_each_unit) {
    for (const std::size_t bytes : {256, 511}) {  // rounded down to a power of two
        const limits_of limits(9'216, bytes);
        EXPECT_EQ(limits.weight_of(0), 1U);
        EXPECT_EQ(limits.weight_of(256), 1U);
        EXPECT_EQ(limits.weight_of(257), 2U);
        EXPECT_EQ(limits.weight_of(512), 2U);
    }
    EXPECT_EQ(adjustable_limits().weight_of(256), 1U);
    EXPECT_EQ(adjustable_limits().weight_of(257), 2U);
}

TEST(reclamation_limits, an_object_counts_at_most_as_a_period) {
    EXPECT_EQ(adjustable_limits().weight_of(std::size_t{1} << 40), 4096U);
}

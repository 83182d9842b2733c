// What hazard pointers and RCU make of the limits is tested in contracts/reclamation_domain.

#include <gtest/gtest.h>
#include <freehold/reclamation/reclamation_limits.hpp>

using freehold::reclamation_limits;
using freehold::detail::adjustable_limits;

// The bound that the pages state: two periods, and a chunk in each shard.
TEST(reclamation_limits, are_those_of_the_pages_at_first) {
    const adjustable_limits usual;
    constexpr auto shards = freehold::detail::process_limits::shard_count;
    EXPECT_EQ(usual.fence_period(), 4'096U);
    EXPECT_EQ(2 * usual.fence_period() + shards * usual.chunk(), reclamation_limits().objects);
}

TEST(reclamation_limits, an_object_counts_once_for_each_256_bytes_at_first) {
    const adjustable_limits usual;
    EXPECT_EQ(usual.weight_of(1), 1U);
    EXPECT_EQ(usual.weight_of(256), 1U);
    EXPECT_EQ(usual.weight_of(257), 2U);
    EXPECT_EQ(usual.weight_of(512), 2U);
    EXPECT_EQ(usual.weight_of(513), 3U);
}

TEST(reclamation_limits, an_object_counts_for_no_more_than_a_period) {
    const adjustable_limits usual;
    EXPECT_EQ(usual.weight_of(1 << 30), usual.fence_period());
}

TEST(reclamation_limits, the_usual_ones_may_be_set_again) {
    adjustable_limits limits;
    limits.set({.objects = 1'000, .bytes = 1 << 30});
    limits.set({});
    EXPECT_EQ(limits.fence_period(), 4'096U);
    EXPECT_EQ(limits.weight_of(257), 2U);
}

TEST(reclamation_limits, an_object_counts_once_for_its_part_of_the_bytes) {
    adjustable_limits limits;
    limits.set({.objects = 1'000, .bytes = 100'000});
    EXPECT_EQ(limits.weight_of(100), 1U);
    EXPECT_EQ(limits.weight_of(101), 2U);
    EXPECT_EQ(limits.weight_of(200), 2U);
}

TEST(reclamation_limits, few_bytes_are_rounded_up) {
    adjustable_limits limits;
    limits.set({.objects = 1'000, .bytes = 10});
    EXPECT_EQ(limits.weight_of(1), 1U);
    EXPECT_EQ(limits.weight_of(7), 7U);
}

TEST(reclamation_limits, a_scan_is_due_after_four_ninths_of_the_objects) {
    adjustable_limits limits;
    limits.set({.objects = 144});
    EXPECT_EQ(limits.fence_period(), 64U);
}

TEST(reclamation_limits, a_shard_enters_what_it_retires_in_the_ledger_in_64_parts) {
    adjustable_limits limits;
    EXPECT_EQ(limits.chunk(), 64U);
    limits.set({.objects = 144});
    EXPECT_EQ(limits.chunk(), 1U);
    limits.set({.objects = 150});
    EXPECT_EQ(limits.chunk(), 2U) << "of 66";
}

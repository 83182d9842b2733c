// What linked_ptr has in common with other pointers is tested in contracts/owning_pointer/.

#include <gtest/gtest.h>
#include <freehold/pointers/linked_ptr.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/tracked.hpp"

namespace {

using freehold::linked_ptr;

struct base {
    virtual ~base() = default;
};
struct derived : base {};
struct unrelated {};

class linked_ptr_test : public support::tracked_test {};

// Made before any code runs.
constinit linked_ptr<int> constant_initialized;

}  // namespace

static_assert(sizeof(linked_ptr<int>) == 3 * sizeof(void*));
static_assert(!std::is_convertible_v<int*, linked_ptr<int>>);
static_assert(std::is_convertible_v<linked_ptr<derived>, linked_ptr<base>>);
static_assert(std::is_convertible_v<linked_ptr<int>, linked_ptr<const int>>, "needs no virtual destructor");
static_assert(!std::is_constructible_v<linked_ptr<derived>, linked_ptr<base>>);
static_assert(!std::is_constructible_v<linked_ptr<base>, linked_ptr<unrelated>>);
static_assert(!std::is_constructible_v<linked_ptr<int>, linked_ptr<const int>>);
static_assert(std::is_nothrow_constructible_v<linked_ptr<int>, int*>, "it never allocates");
static_assert(std::is_nothrow_copy_constructible_v<linked_ptr<int>>);
static_assert(std::is_nothrow_move_constructible_v<linked_ptr<int>>);
static_assert(std::is_nothrow_copy_assignable_v<linked_ptr<int>>);
static_assert(std::is_nothrow_move_assignable_v<linked_ptr<int>>);
static_assert(std::is_nothrow_swappable_v<linked_ptr<int>>);

TEST_F(linked_ptr_test, a_constant_initialized_pointer_is_null) { EXPECT_FALSE(constant_initialized); }

TEST_F(linked_ptr_test, a_literal_0_is_null) {
    linked_ptr p(new int(1));
    p = 0;
    EXPECT_FALSE(p);
    p = linked_ptr<int>(0);
    EXPECT_FALSE(p);
}

TEST_F(linked_ptr_test, an_only_owner_is_unique) {
    const linked_ptr<int> p(new int(7));
    EXPECT_TRUE(p.unique());
    {
        const auto copy = p;
        EXPECT_FALSE(p.unique());
        EXPECT_FALSE(copy.unique());
    }
    EXPECT_TRUE(p.unique());
}

TEST_F(linked_ptr_test, null_is_not_unique) {
    const linked_ptr<int> p;
    EXPECT_FALSE(p.unique());
    EXPECT_EQ(p.use_count(), 0);
}

TEST_F(linked_ptr_test, a_null_pointer_joins_no_one) {
    const linked_ptr<int> p(static_cast<int*>(nullptr));
    const auto copy = p;
    EXPECT_EQ(p.use_count(), 0);
    EXPECT_EQ(copy.use_count(), 0);
}

TEST_F(linked_ptr_test, owners_of_base_and_derived_are_one_ring) {
    const linked_ptr<derived> p(new derived);
    const linked_ptr<base> first = p;
    const linked_ptr<const base> second = first;
    auto copy = p;
    const linked_ptr<base> moved = std::move(copy);
    EXPECT_EQ(p.use_count(), 4);
    EXPECT_EQ(first.use_count(), 4);
    EXPECT_EQ(second.use_count(), 4);
    EXPECT_EQ(moved.use_count(), 4);
}

TEST_F(linked_ptr_test, the_ring_stays_whole_when_owners_move_in_memory) {
    std::vector<linked_ptr<support::tracked>> owners;
    owners.emplace_back(new support::tracked);
    while (owners.size() < 200) owners.push_back(linked_ptr<support::tracked>(owners[owners.size() / 3]));
    std::shuffle(owners.begin(), owners.end(), std::mt19937(20000131));
    for (const auto& owner : owners) ASSERT_EQ(owner.use_count(), 200);
    owners.resize(1);
    EXPECT_TRUE(owners.front().unique());
    EXPECT_EQ(support::tracked::destroyed(), 0);
}

TEST_F(linked_ptr_test, an_owner_of_const_is_assigned_from_one_of_the_same_ring) {
    const linked_ptr<support::tracked> p(new support::tracked);
    linked_ptr<const support::tracked> reader = p;
    reader = p;
    EXPECT_EQ(p.use_count(), 2);
    reader = linked_ptr<support::tracked>(p);
    EXPECT_EQ(p.use_count(), 2);
    EXPECT_EQ(support::tracked::destroyed(), 0);
}

// What holds in each domain is tested in contracts/cyclic_collection/objects.cpp.

#include <gtest/gtest.h>
#include <freehold/interop/shared_root.hpp>

#include <utility>

#include <freehold/pointers/weak_ptr.hpp>

#include "support/tracked.hpp"

namespace {

struct node {
    freehold::cyclic_ptr<node> next;
    support::tracked part;
};

TEST(shared_root, copies_count_beside_the_object) {
    auto owner = freehold::make_cyclic<node>();
    const auto root = freehold::shared_root(owner);
    const auto copy = root;
    EXPECT_EQ(owner.use_count(), 2);
    EXPECT_EQ(root.use_count(), 2);
}

TEST(shared_root, a_weak_ptr_to_it_expires_with_the_last_copy) {
    auto root = freehold::shared_root(freehold::make_cyclic<node>());
    const freehold::weak_ptr<node> weak = root;
    EXPECT_FALSE(weak.expired());
    root.reset();
    EXPECT_TRUE(weak.expired());
}

TEST(shared_root, the_last_owner_of_either_kind_destroys_the_object) {
    auto root = freehold::shared_root(freehold::make_cyclic<node>());
    const int before = support::tracked::destroyed();
    root.reset();
    EXPECT_EQ(support::tracked::destroyed(), before + 1);
}

}  // namespace

// What sharded_shared_ptr does as a shared_ptr is tested in contracts/; this file tests the differences. Several
// threads are tested in concurrency/sharded_shared_ptr.cpp.

#include <gtest/gtest.h>
#include <freehold/pointers/sharded_shared_ptr.hpp>
#include <freehold/pointers/thin_ptr.hpp>

#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/managed_ptr.hpp>

#include <type_traits>
#include <utility>

#include "support/thread_state.hpp"
#include "support/tracked.hpp"

using freehold::sharded_shared_ptr;
using freehold::sharded_weak_ptr;

namespace {

struct object : support::tracked {
    int first = 1;
    int second = 2;
};

struct self_aware : freehold::enable_sharded_shared_from_this<self_aware> {};

class sharded_pointer : public support::tracked_test {
protected:
    void SetUp() override {
        support::tracked_test::SetUp();
        support::start_first_thread();
    }

    // Whether copies of `p` are counted apart: then the count is not told by the root alone.
    static bool copies_are_apart(const auto& p) {
        return freehold::detail::access::handle(std::decay_t<decltype(p)>(p)).address() !=
               freehold::detail::access::handle(p).anchor().address();
    }
};

}  // namespace

// Before any other test of this file, which start a thread.
TEST(sharded_pointer_alone, the_last_owner_destroys_the_object_in_a_process_with_one_thread) {
    {
        const auto p = freehold::make_sharded_shared<object>();
        auto copy = p;
        copy.reset();
        EXPECT_EQ(p.use_count(), 1);
        EXPECT_EQ(support::tracked::alive(), 1);
    }
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST(sharded_pointer_alone, the_last_owner_beside_a_weak_pointer_destroys_the_object_there) {
    sharded_weak_ptr<object> weak;
    {
        const auto p = freehold::make_sharded_shared<object>();
        weak = p;
    }
    EXPECT_TRUE(weak.expired());
    EXPECT_EQ(support::tracked::alive(), 0);
}

static_assert(std::is_same_v<sharded_shared_ptr<int>, freehold::shared_ptr<int, freehold::sharded_counting>>);
static_assert(std::is_same_v<sharded_shared_ptr<int>::weak_type, sharded_weak_ptr<int>>);
static_assert(sizeof(sharded_shared_ptr<int>) == 2 * sizeof(void*));
static_assert(sizeof(freehold::detail::control_block<freehold::sharded_counting>) == 24);
static_assert(!std::is_constructible_v<freehold::shared_ptr<int>, sharded_shared_ptr<int>>);

TEST_F(sharded_pointer, copies_are_counted_apart_while_an_anchor_lives) {
    auto p = freehold::make_sharded_shared<object>();
    EXPECT_FALSE(copies_are_apart(p));
    EXPECT_TRUE(freehold::open_shards(p));
    EXPECT_TRUE(copies_are_apart(p));
    const auto copy = p;
    EXPECT_TRUE(copies_are_apart(copy));
    p.reset();
    EXPECT_FALSE(copies_are_apart(copy));
    EXPECT_EQ(copy.use_count(), 1);
}

TEST_F(sharded_pointer, an_anchor_that_is_moved_stays_one) {
    auto p = freehold::make_sharded_shared<object>();
    freehold::open_shards(p);
    const auto moved = std::move(p);
    EXPECT_TRUE(copies_are_apart(moved));
}

TEST_F(sharded_pointer, a_copy_can_be_made_an_anchor) {
    auto p = freehold::make_sharded_shared<object>();
    freehold::open_shards(p);
    const auto copy = p;
    auto second = freehold::anchor(copy);
    p.reset();
    EXPECT_TRUE(copies_are_apart(copy));
    EXPECT_EQ(second.use_count(), 2);
    EXPECT_EQ(second, copy);
    second.reset();
    EXPECT_FALSE(copies_are_apart(copy));
}

TEST_F(sharded_pointer, nothing_has_an_anchor_without_an_owner) {
    EXPECT_EQ(freehold::anchor(sharded_shared_ptr<int>()), nullptr);
    EXPECT_FALSE(freehold::open_shards(sharded_shared_ptr<int>()));
}

TEST_F(sharded_pointer, anchors_and_copies_share_ownership) {
    const auto p = freehold::make_sharded_shared<object>();
    freehold::open_shards(p);
    const auto copy = p;
    const sharded_weak_ptr<object> weak = copy;
    EXPECT_TRUE(p.owner_equal(copy));
    EXPECT_EQ(p.owner_hash(), copy.owner_hash());
    EXPECT_FALSE(p.owner_before(copy) || copy.owner_before(p));
    EXPECT_TRUE(weak.owner_equal(p) && weak.lock().owner_equal(copy));
}

TEST_F(sharded_pointer, a_weak_pointer_of_a_copy_locks_an_anchor) {
    auto p = freehold::make_sharded_shared<object>();
    freehold::open_shards(p);
    auto copy = p;
    const sharded_weak_ptr<object> weak = copy;
    auto locked = weak.lock();
    sharded_shared_ptr<object> made(weak);
    EXPECT_EQ(p.use_count(), 4);
    p.reset();
    copy.reset();
    EXPECT_TRUE(copies_are_apart(locked));
    made.reset();
    locked.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
    EXPECT_TRUE(weak.expired());
}

TEST_F(sharded_pointer, an_alias_of_a_copy_keeps_the_object) {
    auto p = freehold::make_sharded_shared<object>();
    freehold::open_shards(p);
    sharded_shared_ptr<int> alias(p, &p->second);
    sharded_shared_ptr<int> moved(std::move(alias));
    p.reset();
    EXPECT_EQ(*moved, 2);
    moved.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(sharded_pointer, assignment_between_an_anchor_and_a_copy_keeps_both_counts) {
    auto p = freehold::make_sharded_shared<object>();
    freehold::open_shards(p);
    auto copy = p;
    p = copy;
    copy = p;
    EXPECT_EQ(p.use_count(), 2);
    copy.swap(p);
    EXPECT_TRUE(copies_are_apart(copy));
    copy.reset();
    EXPECT_FALSE(copies_are_apart(p));
    p.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(sharded_pointer, thin_pointers_and_objects_that_know_their_owners_count_in_the_same_way) {
    const auto thin = freehold::make_thin<object, freehold::sharded_counting>();
    const sharded_shared_ptr<object> shared = thin;
    freehold::open_shards(shared);
    const auto copy = shared;
    EXPECT_EQ(shared.use_count(), 3);

    const auto self = freehold::make_sharded_shared<self_aware>();
    freehold::open_shards(self);
    EXPECT_EQ(self->shared_from_this(), self);
    EXPECT_TRUE(copies_are_apart(self->shared_from_this()));
}

TEST_F(sharded_pointer, a_managed_pointer_hands_a_copy_back) {
    auto p = freehold::make_sharded_shared<object>();
    freehold::open_shards(p);
    freehold::managed_ptr<object> managed(sharded_shared_ptr<object>{p});
    EXPECT_EQ(p.use_count(), 2);
    sharded_shared_ptr<object> back(std::move(managed));
    EXPECT_EQ(p.use_count(), 2);
    back.reset();
    EXPECT_EQ(p.use_count(), 1);
}

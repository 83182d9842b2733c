#include <gtest/gtest.h>
#include <freehold/collection/borrowed.hpp>

#include <type_traits>

#include <freehold/collection/traced_heap.hpp>

#include "support/tracked_node.hpp"

namespace {

using freehold::borrowed;
using freehold::local;
using freehold::persistent;
using freehold::traced_heap;
using support::tracked;
using support::tracked_node;

class borrowed_test : public support::tracked_test {};

int number(borrowed<const tracked_node> looked_at) { return looked_at ? looked_at->id : 0; }

}  // namespace

static_assert(std::is_trivially_copyable_v<borrowed<int>>);
static_assert(sizeof(borrowed<int>) == sizeof(int*));
static_assert(!std::is_convertible_v<int*, borrowed<int>>, "only what is in a heap is borrowed");

TEST_F(borrowed_test, a_literal_0_is_null) { EXPECT_FALSE(borrowed<int>(0)); }

TEST_F(borrowed_test, takes_every_handle) {
    traced_heap heap;
    const local<tracked_node> on_the_stack = heap.make<tracked_node>(1);
    const persistent<tracked_node> anywhere = heap.make<tracked_node>(2);
    on_the_stack->next = heap.make<tracked_node>(3);
    EXPECT_EQ(number(on_the_stack), 1);
    EXPECT_EQ(number(anywhere), 2);
    EXPECT_EQ(number(on_the_stack->next), 3);
    EXPECT_EQ(number(borrowed<tracked_node>(on_the_stack)), 1);
    EXPECT_EQ(number(nullptr), 0);
}

TEST_F(borrowed_test, keeps_nothing_alive) {
    traced_heap heap;
    const borrowed<tracked_node> gone = heap.make_borrowed<tracked_node>(1);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
    EXPECT_NE(gone, nullptr);
}

TEST_F(borrowed_test, turns_into_every_handle) {
    traced_heap heap;
    const local<tracked_node> owner = heap.make<tracked_node>(1);
    const borrowed<tracked_node> self(owner.get());
    const local<tracked_node> on_the_stack = self;
    const persistent<tracked_node> anywhere = self;
    owner->next = self;
    EXPECT_EQ(on_the_stack, owner);
    EXPECT_EQ(anywhere, owner);
    EXPECT_EQ(owner->next, owner);
    EXPECT_EQ(owner, self);
}

#include <gtest/gtest.h>
#include <freehold/traced/traced_view.hpp>

#include <type_traits>

#include <freehold/traced/traced_heap.hpp>

#include "support/tracked_node.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_root;
using freehold::traced_view;
using support::tracked;
using support::tracked_node;

class traced_view_test : public support::tracked_test {};

int number(traced_view<const tracked_node> looked_at) { return looked_at ? looked_at->id : 0; }

}  // namespace

static_assert(std::is_trivially_copyable_v<traced_view<int>>);
static_assert(sizeof(traced_view<int>) == sizeof(int*));
static_assert(!std::is_convertible_v<int*, traced_view<int>>, "only what is in a heap is borrowed");

TEST_F(traced_view_test, a_literal_0_is_null) { EXPECT_FALSE(traced_view<int>(0)); }

TEST_F(traced_view_test, takes_every_handle) {
    traced_heap heap;
    const traced_local<tracked_node> on_the_stack = heap.make<tracked_node>(1);
    const traced_root<tracked_node> anywhere = heap.make<tracked_node>(2);
    on_the_stack->next = heap.make<tracked_node>(3);
    EXPECT_EQ(number(on_the_stack), 1);
    EXPECT_EQ(number(anywhere), 2);
    EXPECT_EQ(number(on_the_stack->next), 3);
    EXPECT_EQ(number(traced_view<tracked_node>(on_the_stack)), 1);
    EXPECT_EQ(number(nullptr), 0);
}

TEST_F(traced_view_test, keeps_nothing_alive) {
    traced_heap heap;
    const traced_view<tracked_node> gone = heap.make_unrooted<tracked_node>(1);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
    EXPECT_NE(gone, nullptr);
}

TEST_F(traced_view_test, converts_to_every_handle) {
    traced_heap heap;
    const traced_local<tracked_node> owner = heap.make<tracked_node>(1);
    const traced_view<tracked_node> self(owner.get());
    const traced_local<tracked_node> on_the_stack = self;
    const traced_root<tracked_node> anywhere = self;
    owner->next = self;
    EXPECT_EQ(on_the_stack, owner);
    EXPECT_EQ(anywhere, owner);
    EXPECT_EQ(owner->next, owner);
    EXPECT_EQ(owner, self);
}

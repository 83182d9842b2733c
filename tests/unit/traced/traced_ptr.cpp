// The pointer itself. What it means in a collection is tested in traced_heap.cpp and traced_graphs.cpp.

#include <gtest/gtest.h>
#include <freehold/traced/traced_ptr.hpp>

#include <map>
#include <memory>
#include <set>
#include <type_traits>
#include <vector>

#include <freehold/traced/traced_heap.hpp>

#include "support/tracked_node.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using support::tracked;
using support::tracked_node;

class traced_ptr_test : public support::tracked_test {
protected:
    traced_heap heap;

    void TearDown() override {
        heap.collect();
        support::tracked_test::TearDown();
    }
};

}  // namespace

static_assert(sizeof(traced_ptr<int>) == sizeof(int*));
static_assert(!std::is_trivially_copyable_v<traced_ptr<int>>);
static_assert(std::is_trivially_destructible_v<traced_ptr<int>>);
static_assert(std::is_nothrow_copy_constructible_v<traced_ptr<int>>);
static_assert(std::is_convertible_v<traced_ptr<int>, traced_ptr<const int>>);
static_assert(!std::is_convertible_v<traced_ptr<const int>, traced_ptr<int>>);
static_assert(!std::is_convertible_v<int*, traced_ptr<int>>);
static_assert(freehold::is_traced_pointer<traced_ptr<int>>);

TEST_F(traced_ptr_test, is_empty_by_default) {
    const traced_ptr<tracked_node> empty;
    EXPECT_FALSE(empty);
    EXPECT_EQ(empty, nullptr);
    EXPECT_EQ(traced_ptr<tracked_node>(nullptr), empty);
}

TEST_F(traced_ptr_test, copies_and_assigns) {
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    kept->next = kept;
    EXPECT_EQ(kept->next, kept);
    kept->pair[0] = kept->next;
    EXPECT_EQ(kept->pair[0], kept->next);
    kept->next = nullptr;
    EXPECT_EQ(kept->next, nullptr);
    kept->next = kept->pair[1];
    EXPECT_FALSE(kept->next);
}

TEST_F(traced_ptr_test, is_ordered) {
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    kept->next = heap.make<tracked_node>(2);
    kept->pair[0] = kept;
    const std::set<traced_ptr<tracked_node>> all = {kept->next, kept->pair[0], kept->next};
    EXPECT_EQ(all.size(), 2U);
}

TEST_F(traced_ptr_test, stores_anywhere_are_harmless) {
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    heap.collect();
    static traced_ptr<tracked_node> in_static_room;
    const auto on_the_free_store = std::make_unique<traced_ptr<tracked_node>>();
    for (int i = 0; i < 1000; ++i) {
        const traced_ptr<tracked_node> on_the_stack = heap.make<tracked_node>(i);
        *on_the_free_store = on_the_stack;
        in_static_room = on_the_stack;
        kept->next = in_static_room;
        heap.collect_young();
        ASSERT_EQ(kept->next->id, i);
    }
    in_static_room = nullptr;
    heap.collect();
    EXPECT_EQ(tracked::alive(), 2);
}

TEST_F(traced_ptr_test, assigning_a_variable_in_a_loop_takes_no_memory) {
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    kept->next = kept;
    traced_ptr<tracked_node> cursor = kept;
    for (int i = 0; i < 1'000'000; ++i) cursor = cursor->next;
    EXPECT_EQ(cursor, kept);
    heap.collect_young();
}

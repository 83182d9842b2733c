#include <gtest/gtest.h>
#include <freehold/traced/traced_local.hpp>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <freehold/traced/traced_heap.hpp>

#include "support/tracked_node.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using support::tracked;
using support::tracked_node;

class traced_local_test : public support::tracked_test {
protected:
    // Returns: the number of objects that are alive after a collection.
    int alive() {
        heap.collect();
        return tracked::alive();
    }

    traced_heap heap;

    void TearDown() override {
        EXPECT_EQ(alive(), 0);
        support::tracked_test::TearDown();
    }
};

// One of the two results can not be elided.
traced_local<tracked_node> either(traced_heap& heap, bool first) {
    traced_local<tracked_node> one = heap.make<tracked_node>(1);
    traced_local<tracked_node> other = heap.make<tracked_node>(2);
    if (first) return one;
    return other;
}

}  // namespace

TEST_F(traced_local_test, keeps_its_object_alive) {
    {
        const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
        EXPECT_EQ(alive(), 1);
    }
    EXPECT_EQ(alive(), 0);
}

TEST_F(traced_local_test, is_empty_by_default) {
    const traced_local<tracked_node> empty;
    EXPECT_FALSE(empty);
    EXPECT_EQ(empty.get(), nullptr);
    EXPECT_EQ(empty, nullptr);
    EXPECT_EQ(alive(), 0);
}

TEST_F(traced_local_test, a_copy_keeps_its_object_alive) {
    std::optional<traced_local<tracked_node>> first = heap.make<tracked_node>(1);
    const traced_local<tracked_node> second = *first;
    first.reset();
    EXPECT_EQ(alive(), 1);
    EXPECT_EQ(second->id, 1);
}

TEST_F(traced_local_test, assignment_releases_the_old_object) {
    traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    kept = heap.make<tracked_node>(2);
    EXPECT_EQ(alive(), 1);
    EXPECT_EQ(kept->id, 2);
    const traced_local<tracked_node> other = heap.make<tracked_node>(3);
    kept = other;
    EXPECT_EQ(alive(), 1);
    EXPECT_EQ(kept, other);
    kept = nullptr;
    EXPECT_EQ(alive(), 1);
}

TEST_F(traced_local_test, may_be_returned) {
    const traced_local<tracked_node> one = either(heap, true);
    const traced_local<tracked_node> other = either(heap, false);
    EXPECT_EQ(alive(), 2);
    EXPECT_EQ(one->id, 1);
    EXPECT_EQ(other->id, 2);
}

TEST_F(traced_local_test, may_be_destroyed_in_any_order) {
    std::optional<traced_local<tracked_node>> a = heap.make<tracked_node>(1);
    std::optional<traced_local<tracked_node>> b = heap.make<tracked_node>(2);
    std::optional<traced_local<tracked_node>> c = heap.make<tracked_node>(3);
    b.reset();
    EXPECT_EQ(alive(), 2);
    a.reset();
    EXPECT_EQ(alive(), 1);
    EXPECT_EQ((*c)->id, 3);
}

TEST_F(traced_local_test, points_to_a_base) {
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    const traced_local<const tracked_node> looked_at = kept;
    EXPECT_EQ(looked_at.get(), kept.get());
    static_assert(!std::is_convertible_v<traced_local<const tracked_node>, traced_local<tracked_node>>);
}

TEST_F(traced_local_test, is_empty_once_its_heap_is_destroyed) {
    traced_local<tracked_node> kept;
    {
        traced_heap other;
        kept = other.make<tracked_node>(1);
    }
    EXPECT_FALSE(kept);
}

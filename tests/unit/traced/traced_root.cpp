#include <gtest/gtest.h>
#include <freehold/traced/traced_root.hpp>

#include <memory>
#include <vector>

#include <freehold/traced/traced_heap.hpp>

#include "support/tracked_node.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_root;
using support::tracked;
using support::tracked_node;

class traced_root_test : public support::tracked_test {};

}  // namespace

TEST_F(traced_root_test, keeps_its_object_alive_wherever_it_is) {
    traced_heap heap;
    auto kept = std::make_unique<traced_root<tracked_node>>(heap.make<tracked_node>(1));
    heap.collect();
    EXPECT_EQ((*kept)->id, 1);
    kept.reset();
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(traced_root_test, the_last_copy_keeps_its_object_alive) {
    traced_heap heap;
    std::vector<traced_root<tracked_node>> all(10, traced_root<tracked_node>(heap.make<tracked_node>(1)));
    all.erase(all.begin() + 2, all.begin() + 9);
    all.reserve(100);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 1);
    all.erase(all.begin(), all.begin() + 2);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 1);
    all.clear();
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(traced_root_test, assignment_releases_the_old_object) {
    traced_heap heap;
    traced_root<tracked_node> kept = heap.make<tracked_node>(1);
    const traced_root<tracked_node> other = heap.make<tracked_node>(2);
    kept = other;
    heap.collect();
    EXPECT_EQ(tracked::alive(), 1);
    EXPECT_EQ(kept, other);
    kept = *&kept;
    EXPECT_EQ(kept->id, 2);
    kept.reset();
    EXPECT_EQ(kept, nullptr);
}

TEST_F(traced_root_test, may_be_assigned_an_object_of_another_heap) {
    traced_heap one;
    traced_root<tracked_node> kept;
    {
        traced_heap other;
        kept = other.make<tracked_node>(1);
        kept = one.make<tracked_node>(2);
    }
    one.collect();
    EXPECT_EQ(kept->id, 2);
}

TEST_F(traced_root_test, an_old_one_may_be_given_a_young_object) {
    traced_heap heap;
    traced_root<tracked_node> kept = heap.make<tracked_node>(1);
    heap.collect();
    kept = heap.make<tracked_node>(2);
    heap.collect_young();
    EXPECT_EQ(kept->id, 2);
    heap.collect();
    EXPECT_EQ(kept->id, 2);
    EXPECT_EQ(tracked::alive(), 1);
}

TEST_F(traced_root_test, an_old_one_keeps_its_object_alive_in_every_collection) {
    traced_heap heap;
    const traced_root<tracked_node> kept = heap.make<tracked_node>(1);
    heap.collect_young();
    heap.collect_young();
    heap.collect();
    heap.collect_young();
    heap.collect();
    EXPECT_EQ(kept->id, 1);
    EXPECT_EQ(tracked::alive(), 1);
}

TEST_F(traced_root_test, an_old_one_is_not_looked_at_by_a_young_collection) {
    freehold::detail::aged_handles<freehold::detail::listed_handle> roots;
    std::vector<freehold::detail::listed_handle> handles(10);
    for (freehold::detail::listed_handle& each : handles) roots.add(each);
    const auto seen = [&roots](bool full) {
        int count = 0;
        roots.each(full, [&count](const freehold::detail::listed_handle&) { ++count; });
        return count;
    };
    EXPECT_EQ(seen(false), 10);
    roots.age();
    EXPECT_EQ(seen(false), 0);
    EXPECT_EQ(seen(true), 10);
    roots.add(handles[3]);
    EXPECT_EQ(seen(false), 1);
    EXPECT_EQ(seen(true), 10);
}

TEST_F(traced_root_test, is_empty_once_its_heap_is_destroyed) {
    traced_root<tracked_node> kept;
    {
        traced_heap heap;
        kept = heap.make<tracked_node>(1);
    }
    EXPECT_FALSE(kept);
    EXPECT_EQ(kept.get(), nullptr);
}

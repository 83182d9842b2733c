#include <gtest/gtest.h>
#include <freehold/traced/traced_weak_ptr.hpp>

#include <vector>

#include <freehold/traced/traced_heap.hpp>

#include "support/tracked_node.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using freehold::traced_view;
using freehold::traced_weak_ptr;
using support::tracked;
using support::tracked_node;

class traced_weak_ptr_test : public support::tracked_test {
protected:
    traced_heap heap;

    void TearDown() override {
        heap.collect();
        support::tracked_test::TearDown();
    }
};

struct watcher {
    traced_weak_ptr<tracked_node> watched = {};
    traced_ptr<watcher> next = {};
};

}  // namespace

TEST_F(traced_weak_ptr_test, keeps_nothing_alive) {
    traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    const traced_weak_ptr<tracked_node> weak = kept;
    heap.collect();
    EXPECT_EQ(weak.lock()->id, 1);
    kept = nullptr;
    heap.collect();
    EXPECT_TRUE(weak.expired());
    EXPECT_FALSE(weak.lock());
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(traced_weak_ptr_test, a_locked_object_stays_alive) {
    const traced_weak_ptr<tracked_node> weak = heap.make<tracked_node>(1);
    const traced_local<tracked_node> locked = weak.lock();
    heap.collect();
    EXPECT_FALSE(weak.expired());
}

TEST_F(traced_weak_ptr_test, a_young_collection_clears_those_to_young_objects) {
    traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    const traced_weak_ptr<tracked_node> old = kept;
    heap.collect_young();
    const traced_weak_ptr<tracked_node> young = heap.make<tracked_node>(2);
    kept = nullptr;
    heap.collect_young();
    EXPECT_TRUE(young.expired());
    EXPECT_FALSE(old.expired());
    heap.collect();
    EXPECT_TRUE(old.expired());
}

TEST_F(traced_weak_ptr_test, an_old_one_may_be_given_a_young_object) {
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    traced_weak_ptr<tracked_node> weak = kept;
    heap.collect();
    weak = heap.make<tracked_node>(2);
    heap.collect_young();
    EXPECT_TRUE(weak.expired());
}

TEST_F(traced_weak_ptr_test, it_may_be_a_member_of_a_traced_object) {
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    traced_local<watcher> list;
    for (int i = 0; i < 1000; ++i) {
        const traced_local<watcher> first = heap.make<watcher>();
        first->next = list;
        if (i % 2 == 0) {
            first->watched = kept;
        } else {
            first->watched = heap.make<tracked_node>(i);
        }
        list = first;
        if (i % 100 == 0) heap.collect_young();
    }
    heap.collect();
    int left = 0;
    for (traced_view<watcher> each = list; each; each = each->next) left += each->watched.expired() ? 0 : 1;
    EXPECT_EQ(left, 500);
    list = nullptr;
    heap.collect();
    EXPECT_EQ(tracked::alive(), 1);
}

TEST_F(traced_weak_ptr_test, is_cleared_before_the_finalizer_runs) {
    const traced_weak_ptr<tracked_node> weak = heap.make<tracked_node>(1);
    traced_weak_ptr<tracked_node> to_next;
    bool cleared = false;
    traced_root<tracked_node> saved;
    {
        const traced_local<tracked_node> object = weak.lock();
        object->next = heap.make<tracked_node>(2);
        to_next = object->next;
        heap.add_finalizer(object, [&](tracked_node& due) {
            cleared = weak.expired() && to_next.expired();
            saved = traced_view<tracked_node>(&due);
        });
    }
    heap.collect();
    EXPECT_TRUE(cleared);
    EXPECT_EQ(saved->next->id, 2) << "what it points to lives on, too";
    EXPECT_TRUE(weak.expired());
}

TEST_F(traced_weak_ptr_test, copies_are_independent) {
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    std::vector<traced_weak_ptr<tracked_node>> all(5, traced_weak_ptr<tracked_node>(kept));
    all.reserve(100);
    all.erase(all.begin() + 1);
    all[0].reset();
    EXPECT_TRUE(all[0].expired());
    EXPECT_EQ(all[3].lock(), kept);
}

TEST_F(traced_weak_ptr_test, is_empty_once_its_heap_is_destroyed) {
    traced_weak_ptr<tracked_node> weak;
    {
        traced_heap other;
        weak = other.make<tracked_node>(1);
        other.collect_young();
    }
    EXPECT_TRUE(weak.expired());
}

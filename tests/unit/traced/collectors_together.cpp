// What an object of one collector may hold of another. What it must not is in compile_fail/cyclic/ and traced/.

#include <gtest/gtest.h>
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/interop/shared_root.hpp>
#include <freehold/traced/traced_heap.hpp>

#include <vector>

#include <freehold/cyclic/cycle_collector.hpp>
#include <freehold/cyclic/cyclic_weak_ptr.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/traced/ephemeron.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>

#include "support/tracked.hpp"

namespace {

using freehold::cycle_collector;
using freehold::cyclic_ptr;
using freehold::make_cyclic;
using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using support::tracked;

struct traced;

struct cyclic {
    tracked counted;
    cyclic_ptr<cyclic> next = {};
    std::vector<traced_root<traced>> owned = {};
    freehold::traced_weak_ptr<traced> weak = {};
    freehold::ephemeron<traced, traced> pair = {};
};

struct traced {
    tracked counted;
    traced_ptr<traced> next = {};
    std::vector<freehold::shared_ptr<cyclic>> owned = {};
    freehold::cyclic_weak_ptr<cyclic> weak = {};
    traced_root<traced> elsewhere = {};
};

class collectors_together : public support::tracked_test {};

}  // namespace

TEST_F(collectors_together, a_cyclic_object_owns_a_traced_one_by_a_traced_root) {
    traced_heap heap;
    {
        const cyclic_ptr<cyclic> owner = make_cyclic<cyclic>();
        owner->next = owner;
        owner->owned.emplace_back(heap.make<traced>());
        owner->weak = owner->owned[0];
        owner->pair = {owner->owned[0], heap.make<traced>()};
        static_cast<void>(cycle_collector::collect());
        heap.collect();
        EXPECT_EQ(tracked::alive(), 3);
        EXPECT_FALSE(owner->weak.expired());
        EXPECT_FALSE(owner->pair.expired());
    }
    EXPECT_EQ(cycle_collector::collect(), 1U);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(collectors_together, a_traced_object_owns_a_cyclic_one_by_a_shared_root) {
    traced_heap heap;
    {
        const traced_local<traced> owner = heap.make<traced>();
        owner->next = owner;
        cyclic_ptr<cyclic> owned = make_cyclic<cyclic>();
        owned->next = owned;
        owner->weak = owned;
        owner->owned.push_back(freehold::shared_root(owned));
        owned.reset();
        static_cast<void>(cycle_collector::collect());
        heap.collect();
        EXPECT_EQ(tracked::alive(), 2);
        EXPECT_FALSE(owner->weak.expired());
    }
    heap.collect();
    static_cast<void>(cycle_collector::collect());
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(collectors_together, an_object_of_one_heap_owns_one_of_another_by_a_traced_root) {
    traced_heap one;
    traced_heap other;
    {
        const traced_local<traced> owner = one.make<traced>();
        owner->elsewhere = other.make<traced>();
        one.collect();
        other.collect();
        EXPECT_EQ(tracked::alive(), 2);
    }
    one.collect();
    other.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

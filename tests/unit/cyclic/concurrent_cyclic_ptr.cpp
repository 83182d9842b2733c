// What it has in common with cyclic_ptr is tested in contracts/cyclic_collection/ and contracts/owning_pointer/.

#include <gtest/gtest.h>
#include <freehold/cyclic/concurrent_cyclic_ptr.hpp>

#include <functional>
#include <type_traits>

#include <freehold/cyclic/cycle_collector.hpp>
#include <freehold/cyclic/cyclic_heap.hpp>

#include "support/session_thread.hpp"
#include "support/tracked.hpp"

using freehold::concurrent_cyclic_ptr;
using freehold::cyclic_heap;
using freehold::cyclic_ptr;

namespace {

struct base {
    virtual ~base() = default;
};
struct derived : base {
    void trace(auto&) const {}
};

struct node {
    concurrent_cyclic_ptr<node> next;
    support::tracked part;
};

// Of one thread, and owns one that threads share.
struct of_one_thread {
    concurrent_cyclic_ptr<node> shared;
    cyclic_ptr<of_one_thread> next;
    support::tracked part;
};

class concurrent_cyclic_ptr_test : public support::tracked_test {
protected:
    cyclic_heap heap;
    cyclic_heap::session session{heap};
};

constinit concurrent_cyclic_ptr<int> constant_initialized;

}  // namespace

static_assert(sizeof(concurrent_cyclic_ptr<node>) == sizeof(void*));
static_assert(freehold::may_be_in_cycle<node>);
static_assert(std::is_nothrow_move_constructible_v<concurrent_cyclic_ptr<node>>);
static_assert(std::is_convertible_v<concurrent_cyclic_ptr<derived>, concurrent_cyclic_ptr<base>>);
static_assert(!std::is_convertible_v<concurrent_cyclic_ptr<base>, concurrent_cyclic_ptr<derived>>);
static_assert(!std::is_constructible_v<concurrent_cyclic_ptr<node>, node*>, "it owns only what a heap made");
static_assert(!std::is_constructible_v<concurrent_cyclic_ptr<node>, cyclic_ptr<node>>, "whose thread counts plainly");
static_assert(!std::is_constructible_v<cyclic_ptr<node>, concurrent_cyclic_ptr<node>>);

TEST(concurrent_cyclic_ptr, an_empty_one_needs_no_session) {
    concurrent_cyclic_ptr<int> p = constant_initialized;
    const concurrent_cyclic_ptr<int> q = std::move(p);
    EXPECT_FALSE(q);
    EXPECT_EQ(q.use_count(), 0);
}

TEST_F(concurrent_cyclic_ptr_test, the_owners_of_all_sessions_are_counted_for_all) {
    support::session_thread other(heap);
    auto p = heap.make<node>();
    concurrent_cyclic_ptr<node> copy;
    long seen_there = 0;
    other.run(session, [&] {
        copy = p;
        seen_there = p.use_count();
    });
    EXPECT_EQ(seen_there, 2);
    EXPECT_EQ(p.use_count(), 2);
    copy.reset();
    EXPECT_EQ(p.use_count(), 1);
}

TEST_F(concurrent_cyclic_ptr_test, an_owner_in_an_object_of_one_thread_is_one_from_outside) {
    auto outside = freehold::make_cyclic<of_one_thread>();
    outside->next = outside;
    outside->shared = heap.make<node>();
    outside->shared->next = outside->shared;
    EXPECT_EQ(heap.collect(), 0U);
    outside.reset();
    EXPECT_EQ(heap.collect(), 0U);
    EXPECT_EQ(freehold::cycle_collector::collect(), 1U);
    EXPECT_EQ(heap.collect(), 1U);
}

TEST_F(concurrent_cyclic_ptr_test, its_hash_is_that_of_the_address) {
    const auto p = heap.make<node>();
    EXPECT_EQ(std::hash<concurrent_cyclic_ptr<node>>()(p), std::hash<node*>()(p.get()));
}

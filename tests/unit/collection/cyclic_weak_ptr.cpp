#include <gtest/gtest.h>
#include <freehold/collection/cyclic_weak_ptr.hpp>

#include <type_traits>

#include <freehold/collection/cycle_collector.hpp>

#include "support/tracked.hpp"

using freehold::cycle_collector;
using freehold::cyclic_ptr;
using freehold::cyclic_weak_ptr;
using freehold::make_cyclic;

namespace {

struct node {
    cyclic_ptr<node> next;
    cyclic_weak_ptr<node> back;
    support::tracked part;
};

struct base : support::tracked {
    base() = default;
    base(const base&) = delete;
    base& operator=(const base&) = delete;
    virtual ~base() = default;
};

struct derived : base {
    void trace(auto&) const {}
};

class cyclic_weak_ptr_test : public support::tracked_test {};

}  // namespace

static_assert(sizeof(cyclic_weak_ptr<node>) == sizeof(void*));
static_assert(std::is_nothrow_default_constructible_v<cyclic_weak_ptr<node>>);
static_assert(std::is_nothrow_copy_constructible_v<cyclic_weak_ptr<node>>);
static_assert(std::is_nothrow_move_constructible_v<cyclic_weak_ptr<node>>);
static_assert(!std::is_constructible_v<cyclic_weak_ptr<derived>, cyclic_ptr<base>>);

TEST_F(cyclic_weak_ptr_test, it_observes_nothing_at_first) {
    const cyclic_weak_ptr<node> observer;
    EXPECT_TRUE(observer.expired());
    EXPECT_FALSE(observer.lock());
    EXPECT_EQ(observer.use_count(), 0);
    EXPECT_TRUE(cyclic_weak_ptr<node>(cyclic_ptr<node>()).expired());
}

TEST_F(cyclic_weak_ptr_test, lock_makes_an_owner) {
    const auto p = make_cyclic<node>();
    const cyclic_weak_ptr<node> observer = p;
    EXPECT_EQ(observer.use_count(), 1);
    const auto locked = observer.lock();
    EXPECT_EQ(locked, p);
    EXPECT_EQ(p.use_count(), 2);
}

TEST_F(cyclic_weak_ptr_test, it_does_not_keep_its_object) {
    auto p = make_cyclic<node>();
    const cyclic_weak_ptr<node> observer = p;
    const auto copy = observer;
    p.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
    EXPECT_TRUE(observer.expired());
    EXPECT_TRUE(copy.expired());
    EXPECT_FALSE(observer.lock());
}

TEST_F(cyclic_weak_ptr_test, it_does_not_observe_what_comes_to_the_same_address) {
    auto p = make_cyclic<node>();
    const cyclic_weak_ptr<node> observer = p;
    p.reset();
    p = make_cyclic<node>();
    EXPECT_TRUE(observer.expired());
}

TEST_F(cyclic_weak_ptr_test, several_observe_one_object_in_turn) {
    auto p = make_cyclic<node>();
    {
        const cyclic_weak_ptr<node> first = p;
    }
    const cyclic_weak_ptr<node> second = p;
    EXPECT_EQ(second.lock(), p);
    p.reset();
    EXPECT_TRUE(second.expired());
}

TEST_F(cyclic_weak_ptr_test, it_is_no_edge) {
    auto p = make_cyclic<node>();
    p->next = make_cyclic<node>();
    p->next->back = p;
    p.reset();
    EXPECT_EQ(support::tracked::destroyed(), 2) << "promptly";
}

TEST_F(cyclic_weak_ptr_test, it_expires_in_a_collected_cycle) {
    auto p = make_cyclic<node>();
    p->next = p;
    const cyclic_weak_ptr<node> observer = p;
    p.reset();
    EXPECT_FALSE(observer.expired()) << "nobody knows yet";
    EXPECT_EQ(cycle_collector::collect(), 1U);
    EXPECT_TRUE(observer.expired());
}

TEST_F(cyclic_weak_ptr_test, what_was_locked_survives_a_collection) {
    auto p = make_cyclic<node>();
    p->next = p;
    const cyclic_weak_ptr<node> observer = p;
    p.reset();
    auto locked = observer.lock();
    EXPECT_EQ(cycle_collector::collect(), 0U);
    EXPECT_FALSE(observer.expired());
    locked.reset();
    EXPECT_EQ(cycle_collector::collect(), 1U);
}

TEST_F(cyclic_weak_ptr_test, it_observes_as_a_base) {
    const auto p = make_cyclic<derived>();
    const cyclic_weak_ptr<derived> observer = p;
    const cyclic_weak_ptr<base> as_base = observer;
    EXPECT_EQ(as_base.lock(), p);
    EXPECT_EQ(cyclic_weak_ptr<base>(p).lock(), p);
}

TEST_F(cyclic_weak_ptr_test, reset_and_swap_exchange_what_is_observed) {
    const auto p = make_cyclic<node>();
    cyclic_weak_ptr<node> a = p;
    cyclic_weak_ptr<node> b;
    swap(a, b);
    EXPECT_TRUE(a.expired());
    EXPECT_EQ(b.lock(), p);
    b.reset();
    EXPECT_TRUE(b.expired());
}

TEST_F(cyclic_weak_ptr_test, it_may_outlive_its_object_and_end_last) {
    cyclic_weak_ptr<node> observer;
    {
        const auto p = make_cyclic<node>();
        observer = p;
    }
    EXPECT_TRUE(observer.expired());
}

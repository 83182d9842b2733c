// What it has in common with cyclic_weak_ptr is tested in contracts/cyclic_collection/.

#include <gtest/gtest.h>
#include <freehold/cyclic/concurrent_cyclic_weak_ptr.hpp>

#include <type_traits>
#include <utility>

#include <freehold/cyclic/cyclic_heap.hpp>

#include "support/session_thread.hpp"
#include "support/tracked.hpp"

using freehold::concurrent_cyclic_ptr;
using freehold::concurrent_cyclic_weak_ptr;
using freehold::cyclic_heap;

namespace {

struct base : support::tracked {
    base() = default;
    base(const base&) = delete;
    base& operator=(const base&) = delete;
    virtual ~base() = default;
};

struct derived : base {
    void trace(auto& visit) const { visit(next); }

    concurrent_cyclic_ptr<derived> next;
};

class concurrent_cyclic_weak_ptr_test : public support::tracked_test {
protected:
    cyclic_heap heap;
    cyclic_heap::session session{heap};
};

}  // namespace

static_assert(sizeof(concurrent_cyclic_weak_ptr<base>) == sizeof(void*));
static_assert(std::is_nothrow_copy_constructible_v<concurrent_cyclic_weak_ptr<base>>);
static_assert(!std::is_constructible_v<concurrent_cyclic_weak_ptr<derived>, concurrent_cyclic_ptr<base>>);

TEST_F(concurrent_cyclic_weak_ptr_test, it_converts_to_a_base) {
    const auto p = heap.make<derived>();
    const concurrent_cyclic_weak_ptr<derived> weak = p;
    const concurrent_cyclic_weak_ptr<base> as_base = weak;
    EXPECT_EQ(as_base.lock(), p);
}

TEST_F(concurrent_cyclic_weak_ptr_test, an_owner_that_another_session_locks_keeps_the_object) {
    support::session_thread other(heap);
    auto p = heap.make<derived>();
    const concurrent_cyclic_weak_ptr<base> weak = p;
    concurrent_cyclic_ptr<base> locked;
    other.run(session, [&] { locked = weak.lock(); });
    p.reset();
    EXPECT_EQ(support::tracked::alive(), 1);
    EXPECT_EQ(weak.use_count(), 1);
    other.run(session, [&] { locked.reset(); });
    EXPECT_EQ(support::tracked::alive(), 0);
    EXPECT_TRUE(weak.expired());
}

TEST_F(concurrent_cyclic_weak_ptr_test, what_was_released_elsewhere_can_be_locked_until_its_session_handles_it) {
    support::session_thread other(heap);
    auto p = heap.make<derived>();
    const concurrent_cyclic_weak_ptr<derived> weak = p;
    concurrent_cyclic_ptr<derived> locked;
    other.run(session, [&] {
        p.reset();
        locked = weak.lock();
    });
    ASSERT_TRUE(locked);
    EXPECT_EQ(locked.use_count(), 1);
    locked.reset();
    EXPECT_TRUE(weak.expired());
}

TEST_F(concurrent_cyclic_weak_ptr_test, an_abandoned_object_can_be_locked_until_its_last_owner_is_released) {
    concurrent_cyclic_ptr<derived> p;
    concurrent_cyclic_weak_ptr<derived> weak;
    support::session_thread(heap).run(session, [&] {
        p = heap.make<derived>();
        weak = p;
    });
    auto locked = weak.lock();
    EXPECT_EQ(locked.use_count(), 2);
    p.reset();
    EXPECT_FALSE(weak.expired());
    locked.reset();
    EXPECT_TRUE(weak.expired());
    EXPECT_FALSE(weak.lock());
    EXPECT_EQ(support::tracked::alive(), 0);
}

TEST_F(concurrent_cyclic_weak_ptr_test, it_expires_with_a_cycle_of_several_sessions) {
    support::session_thread other(heap);
    auto p = heap.make<derived>();
    concurrent_cyclic_weak_ptr<derived> second;
    other.run(session, [&] {
        p->next = heap.make<derived>();
        p->next->next = p;
        second = p->next;
    });
    const concurrent_cyclic_weak_ptr<derived> first = p;
    p.reset();
    EXPECT_EQ(heap.collect(), 2U);
    EXPECT_TRUE(first.expired());
    EXPECT_TRUE(second.expired()) << "although its object is still to be destroyed";
    other.run(session, [] {});
}

TEST(concurrent_cyclic_weak_ptr, it_is_copied_and_destroyed_without_a_session) {
    cyclic_heap heap;
    concurrent_cyclic_weak_ptr<base> weak;
    {
        const cyclic_heap::session session(heap);
        weak = heap.make<derived>();
    }
    auto copy = weak;
    EXPECT_TRUE(copy.expired());
    copy = std::move(weak);
    copy.reset();
}

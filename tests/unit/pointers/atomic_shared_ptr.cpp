// What several threads see is tested in concurrency/atomic_shared_ptr.cpp.

#include <gtest/gtest.h>
#include <freehold/pointers/atomic_shared_ptr.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include <freehold/pointers/immortal.hpp>
#include <freehold/pointers/make_shared.hpp>

#include "support/tracked.hpp"

using freehold::atomic_shared_ptr;
using freehold::atomic_weak_ptr;
using freehold::make_shared;
using freehold::shared_ptr;
using freehold::weak_ptr;

namespace {

struct object : support::tracked {
    explicit object(int initial = 0) : value(initial) {}
    object(const object&) = delete;
    object& operator=(const object&) = delete;
    ~object() {
        if (at_end) at_end();
    }

    int value;
    std::function<void()> at_end;
};

class atomic_shared_ptr_test : public support::tracked_test {
protected:
    static int destroyed() { return support::tracked::destroyed(); }
};

constinit freehold::immortal<int> forty_two(42);

// Made before any code runs.
constinit atomic_shared_ptr<int> constant_initialized;
constinit atomic_shared_ptr<int> constant_initialized_with_null(nullptr);
constinit atomic_weak_ptr<int> constant_initialized_weak;

}  // namespace

static_assert(std::is_same_v<atomic_shared_ptr<int>, std::atomic<shared_ptr<int>>>);
static_assert(std::is_same_v<atomic_weak_ptr<int>, std::atomic<weak_ptr<int>>>);
static_assert(std::is_same_v<atomic_shared_ptr<int>::value_type, shared_ptr<int>>);
static_assert(std::is_same_v<atomic_weak_ptr<int>::value_type, weak_ptr<int>>);
static_assert(atomic_shared_ptr<int>::is_always_lock_free);
static_assert(sizeof(atomic_shared_ptr<int>) == 3 * sizeof(void*));
static_assert(!std::is_copy_constructible_v<atomic_shared_ptr<int>>);
static_assert(!std::is_copy_assignable_v<atomic_shared_ptr<int>>);
static_assert(std::is_nothrow_constructible_v<atomic_shared_ptr<int>, shared_ptr<int>>);

TEST_F(atomic_shared_ptr_test, one_that_is_constant_initialized_holds_nothing) {
    EXPECT_EQ(constant_initialized.load(), nullptr);
    EXPECT_EQ(constant_initialized_with_null.load(), nullptr);
    EXPECT_TRUE(constant_initialized_weak.load().expired());
    EXPECT_TRUE(constant_initialized.is_lock_free());
}

TEST_F(atomic_shared_ptr_test, a_load_is_one_owner_more) {
    const auto p = make_shared<object>(7);
    const atomic_shared_ptr<object> atomic(p);
    EXPECT_EQ(p.use_count(), 2);
    const shared_ptr<object> loaded = atomic.load();
    EXPECT_EQ(loaded, p);
    EXPECT_EQ(p.use_count(), 3);
    const shared_ptr<object> converted = atomic;
    EXPECT_EQ(converted, p);
}

TEST_F(atomic_shared_ptr_test, a_store_owns_the_new_value_and_releases_the_old_one) {
    atomic_shared_ptr<object> atomic(make_shared<object>(1));
    const auto second = make_shared<object>(2);
    atomic.store(second);
    EXPECT_EQ(destroyed(), 1);
    EXPECT_EQ(second.use_count(), 2);
    atomic.store(nullptr);
    EXPECT_EQ(atomic.load(), nullptr);
    atomic = second;
    EXPECT_EQ(atomic.load(), second);
}

TEST_F(atomic_shared_ptr_test, null_can_be_assigned_as_lwg_3893_has_it) {
    EXPECT_TRUE((std::is_assignable_v<atomic_shared_ptr<int>&, std::nullptr_t>));
}

TEST_F(atomic_shared_ptr_test, its_destructor_releases_the_value) {
    {
        const atomic_shared_ptr<object> atomic(make_shared<object>());
    }
    EXPECT_EQ(destroyed(), 1);
}

TEST_F(atomic_shared_ptr_test, an_exchange_gives_the_old_value_back_without_an_owner_more) {
    atomic_shared_ptr<object> atomic(make_shared<object>(1));
    auto p = make_shared<object>(2);
    const auto old = atomic.exchange(std::move(p));
    EXPECT_EQ(old->value, 1);
    EXPECT_EQ(old.use_count(), 1);
    EXPECT_EQ(atomic.load()->value, 2);
}

TEST_F(atomic_shared_ptr_test, compare_exchange_replaces_what_is_as_expected) {
    const auto first = make_shared<object>(1);
    const auto second = make_shared<object>(2);
    atomic_shared_ptr<object> atomic(first);
    auto expected = first;
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, second));
    EXPECT_EQ(atomic.load(), second);
    EXPECT_EQ(expected, first);
    EXPECT_EQ(first.use_count(), 2);
    while (!atomic.compare_exchange_weak(expected, first)) EXPECT_EQ(expected, second);
    EXPECT_EQ(atomic.load(), first);
}

TEST_F(atomic_shared_ptr_test, compare_exchange_returns_the_value_if_it_differs) {
    const auto first = make_shared<object>(1);
    const auto second = make_shared<object>(2);
    atomic_shared_ptr<object> atomic(first);
    auto expected = second;
    EXPECT_FALSE(
        atomic.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel, std::memory_order_acquire));
    EXPECT_EQ(expected, first);
    EXPECT_EQ(atomic.load(), first);
    EXPECT_EQ(first.use_count(), 3) << "here, in the atomic, and expected";
    EXPECT_EQ(second.use_count(), 1);
}

TEST_F(atomic_shared_ptr_test, compare_exchange_compares_the_pointer_with_the_owner_alike) {
    const auto owner = make_shared<object>(1);
    int elsewhere = 0;
    atomic_shared_ptr<int> atomic(shared_ptr<int>(owner, &owner->value));
    shared_ptr<int> expected(owner, &elsewhere);
    EXPECT_FALSE(atomic.compare_exchange_strong(expected, nullptr));
    EXPECT_EQ(expected.get(), &owner->value);
}

TEST_F(atomic_shared_ptr_test, compare_exchange_compares_the_owner_with_the_pointer_alike) {
    int value = 0;
    const auto first = make_shared<object>();
    const auto second = make_shared<object>();
    atomic_shared_ptr<int> atomic(shared_ptr<int>(first, &value));
    shared_ptr<int> expected(second, &value);
    EXPECT_FALSE(atomic.compare_exchange_strong(expected, nullptr));
    EXPECT_TRUE(expected.owner_equal(first));
    EXPECT_EQ(second.use_count(), 1);
}

// [LWG 3195]
TEST_F(atomic_shared_ptr_test, weak_pointers_of_no_object_are_equivalent_wherever_their_owners_pointed) {
    int value = 0;
    const shared_ptr<int> pointing(shared_ptr<int>(), &value);
    atomic_weak_ptr<int> atomic(weak_ptr<int>{pointing});
    weak_ptr<int> expected;
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, expected));
}

TEST_F(atomic_shared_ptr_test, an_alias_of_a_weak_pointer_of_no_object_is_equivalent_to_it) {
    int value = 0;
    const weak_ptr<int> weak;
    atomic_weak_ptr<int> atomic(weak_ptr<int>(weak, &value));
    weak_ptr<int> expected;
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, weak));
    atomic = weak_ptr<int>(weak_ptr<int>(), &value);
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, weak));
}

TEST_F(atomic_shared_ptr_test, the_destructor_of_an_old_value_may_use_the_atomic_again) {
    atomic_shared_ptr<object> atomic(make_shared<object>(1));
    int seen = 0;
    const auto see = [&] { seen = atomic.load() ? atomic.load()->value : -1; };
    atomic.load()->at_end = see;
    atomic.store(make_shared<object>(2));
    EXPECT_EQ(seen, 2);
    atomic.load()->at_end = see;
    atomic.exchange(make_shared<object>(3));
    EXPECT_EQ(seen, 3);
    atomic.load()->at_end = see;
    auto expected = atomic.load();
    auto* const kept = expected.get();
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, make_shared<object>(4)));
    EXPECT_EQ(expected.get(), kept);
    expected.reset();
    EXPECT_EQ(seen, 4);
    expected = make_shared<object>(5);
    expected->at_end = see;
    EXPECT_FALSE(atomic.compare_exchange_strong(expected, make_shared<object>(6)));
    EXPECT_EQ(seen, 4) << "what was expected has ended";
    EXPECT_EQ(destroyed(), 5);
}

TEST_F(atomic_shared_ptr_test, two_atomics_may_be_stored_in_each_others_values) {
    struct node : support::tracked {
        atomic_shared_ptr<node> other;
    };
    const auto p = make_shared<node>();
    const auto q = make_shared<node>();
    p->other = q;
    q->other = p;
    EXPECT_EQ(p->other.load()->other.load(), p);
    p->other.store(nullptr);
}

TEST_F(atomic_shared_ptr_test, wait_returns_at_once_where_the_value_is_another) {
    const auto p = make_shared<object>();
    const atomic_shared_ptr<object> atomic(p);
    atomic.wait(nullptr);
    EXPECT_EQ(p.use_count(), 2);
}

TEST_F(atomic_shared_ptr_test, a_weak_pointer_is_loaded_stored_and_exchanged) {
    auto p = make_shared<object>(1);
    const auto q = make_shared<object>(2);
    atomic_weak_ptr<object> atomic{weak_ptr<object>(p)};
    EXPECT_EQ(atomic.load().lock(), p);
    atomic.store(q);
    EXPECT_EQ(atomic.load().lock(), q);
    EXPECT_EQ(atomic.exchange(p).lock(), q);
    p.reset();
    EXPECT_TRUE(atomic.load().expired());
    EXPECT_EQ(destroyed(), 1);
}

TEST_F(atomic_shared_ptr_test, an_expired_weak_pointer_is_compared_by_its_block) {
    auto p = make_shared<object>();
    const weak_ptr<object> weak = p;
    const weak_ptr<object> other = make_shared<object>();
    p.reset();
    atomic_weak_ptr<object> atomic(weak);
    weak_ptr<object> expected = other;
    EXPECT_FALSE(atomic.compare_exchange_strong(expected, {}));
    EXPECT_TRUE(expected.owner_equal(weak));
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, {}));
    EXPECT_TRUE(atomic.load().owner_equal(weak_ptr<object>()));
}

TEST_F(atomic_shared_ptr_test, an_immortal_is_a_value_like_any_other) {
    atomic_shared_ptr<int> atomic(forty_two.share());
    auto expected = forty_two.share();
    EXPECT_EQ(*atomic.load(), 42);
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, nullptr));
}

TEST_F(atomic_shared_ptr_test, the_record_of_an_alias_is_used_again) {
    auto& records = freehold::detail::process_readers.aliases;
    freehold::detail::alias_record* const free = records.take();
    records.give_back(*free);
    int elsewhere = 0;
    atomic_shared_ptr<int> atomic(shared_ptr<int>(make_shared<object>(), &elsewhere));
    atomic.store(nullptr);
    freehold::flush_deferred_releases();
    EXPECT_EQ(records.take(), free);
    records.give_back(*free);
}

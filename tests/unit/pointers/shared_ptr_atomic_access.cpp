// What several threads see is tested in concurrency/shared_ptr_atomic_access.cpp.

#include <gtest/gtest.h>
#include <freehold/pointers/shared_ptr_atomic_access.hpp>

#include <atomic>
#include <functional>
#include <utility>

#include <freehold/pointers/make_shared.hpp>

#include "support/tracked.hpp"

using freehold::make_shared;
using freehold::shared_ptr;

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

class shared_ptr_atomic_access : public support::tracked_test {};

}  // namespace

TEST_F(shared_ptr_atomic_access, a_load_is_one_owner_more) {
    const auto p = make_shared<object>(7);
    const auto loaded = atomic_load(&p);
    EXPECT_EQ(loaded, p);
    EXPECT_EQ(p.use_count(), 2);
    EXPECT_EQ(atomic_load_explicit(&p, std::memory_order_acquire), p);
    EXPECT_FALSE(atomic_is_lock_free(&p));
}

TEST_F(shared_ptr_atomic_access, a_store_owns_the_new_value_and_releases_the_old_one) {
    auto p = make_shared<object>(1);
    const auto second = make_shared<object>(2);
    atomic_store(&p, second);
    EXPECT_EQ(support::tracked::destroyed(), 1);
    EXPECT_EQ(second.use_count(), 2);
    atomic_store_explicit(&p, {}, std::memory_order_release);
    EXPECT_FALSE(p);
}

TEST_F(shared_ptr_atomic_access, an_exchange_gives_the_old_value_back_without_an_owner_more) {
    auto p = make_shared<object>(1);
    const auto old = atomic_exchange(&p, make_shared<object>(2));
    EXPECT_EQ(old->value, 1);
    EXPECT_EQ(old.use_count(), 1);
    EXPECT_EQ(p->value, 2);
    EXPECT_EQ(atomic_exchange_explicit(&p, {}, std::memory_order_acq_rel)->value, 2);
}

TEST_F(shared_ptr_atomic_access, compare_exchange_replaces_what_is_as_expected) {
    const auto first = make_shared<object>(1);
    const auto second = make_shared<object>(2);
    auto p = first;
    auto expected = first;
    EXPECT_TRUE(atomic_compare_exchange_strong(&p, &expected, second));
    EXPECT_EQ(p, second);
    EXPECT_EQ(first.use_count(), 2);
    while (!atomic_compare_exchange_weak(&p, &expected, first)) EXPECT_EQ(expected, second);
    EXPECT_EQ(p, first);
}

TEST_F(shared_ptr_atomic_access, compare_exchange_returns_the_value_if_it_differs) {
    const auto first = make_shared<object>(1);
    auto p = first;
    auto expected = make_shared<object>(2);
    EXPECT_FALSE(atomic_compare_exchange_strong_explicit(&p, &expected, {}, std::memory_order_acq_rel,
                                                         std::memory_order_acquire));
    EXPECT_EQ(expected, first);
    EXPECT_EQ(support::tracked::destroyed(), 1) << "what was expected";
    EXPECT_TRUE(
        atomic_compare_exchange_weak_explicit(&p, &expected, {}, std::memory_order_acq_rel, std::memory_order_acquire));
    EXPECT_FALSE(p);
}

TEST_F(shared_ptr_atomic_access, compare_exchange_compares_the_owner_with_the_pointer_alike) {
    const auto first = make_shared<object>(1);
    const auto second = make_shared<object>(2);
    auto p = first;
    auto alias = shared_ptr<object>(second, first.get());
    EXPECT_FALSE(atomic_compare_exchange_strong(&p, &alias, second));
    EXPECT_EQ(p, first);
}

TEST_F(shared_ptr_atomic_access, the_destructor_of_an_old_value_may_use_the_pointer_again) {
    auto p = make_shared<object>(1);
    int seen = 0;
    p->at_end = [&] { seen = atomic_load(&p)->value; };
    atomic_store(&p, make_shared<object>(2));
    EXPECT_EQ(seen, 2);
}

TEST_F(shared_ptr_atomic_access, one_pointer_may_be_its_own_expectation) {
    auto p = make_shared<object>(1);
    EXPECT_TRUE(atomic_compare_exchange_strong(&p, &p, make_shared<object>(2)));
    EXPECT_EQ(p->value, 2);
}

// What std::atomic of an owning pointer does, in one thread.

#include "families.hpp"

namespace contracts {

CONTRACT(atomic_pointer, one_that_is_constant_initialized_holds_nothing) {
    EXPECT_TRUE(TestFixture::is_null(TestFixture::constant_initialized.load()));
    EXPECT_TRUE(TestFixture::constant_initialized.is_lock_free());
}

CONTRACT(atomic_pointer, it_is_loaded_and_stored) {
    const auto p = TypeParam::make(1);
    const auto q = TypeParam::make(2);
    typename TypeParam::atomic atomic(p);
    EXPECT_TRUE(TypeParam::same(atomic.load(), p));
    atomic.store(q);
    EXPECT_TRUE(TypeParam::same(atomic.load(), q));
    atomic = p;
    const typename TypeParam::pointer converted = atomic;
    EXPECT_TRUE(TypeParam::same(converted, p));
    atomic.store({});
    EXPECT_TRUE(TestFixture::is_null(atomic.load()));
}

CONTRACT(atomic_pointer, an_exchange_returns_the_value_before) {
    const auto p = TypeParam::make(1);
    const auto q = TypeParam::make(2);
    typename TypeParam::atomic atomic(p);
    EXPECT_TRUE(TypeParam::same(atomic.exchange(q), p));
    EXPECT_TRUE(TypeParam::same(atomic.exchange({}), q));
    EXPECT_TRUE(TestFixture::is_null(atomic.exchange(p)));
    EXPECT_TRUE(TypeParam::same(atomic.load(), p));
}

CONTRACT(atomic_pointer, compare_exchange_replaces_what_is_as_expected) {
    const auto p = TypeParam::make(1);
    const auto q = TypeParam::make(2);
    typename TypeParam::atomic atomic(p);
    auto expected = p;
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, q));
    EXPECT_TRUE(TypeParam::same(atomic.load(), q));
    EXPECT_TRUE(TypeParam::same(expected, p));
    while (!atomic.compare_exchange_weak(expected, p)) {
        EXPECT_TRUE(TypeParam::same(expected, q));
    }
    EXPECT_TRUE(TypeParam::same(atomic.load(), p));
}

CONTRACT(atomic_pointer, compare_exchange_returns_the_value_if_it_differs) {
    const auto p = TypeParam::make(1);
    const auto q = TypeParam::make(2);
    typename TypeParam::atomic atomic(p);
    auto expected = q;
    EXPECT_FALSE(atomic.compare_exchange_strong(expected, {}, std::memory_order_acq_rel, std::memory_order_acquire));
    EXPECT_TRUE(TypeParam::same(expected, p));
    EXPECT_TRUE(TypeParam::same(atomic.load(), p));
}

CONTRACT(atomic_pointer, compare_exchange_takes_null_for_a_value) {
    const auto p = TypeParam::make(1);
    typename TypeParam::atomic atomic;
    typename TypeParam::pointer expected;
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, p));
    EXPECT_FALSE(atomic.compare_exchange_strong(expected, {}));
    EXPECT_TRUE(TypeParam::same(expected, p));
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, {}));
    EXPECT_TRUE(TestFixture::is_null(atomic.load()));
}

CONTRACT(atomic_pointer, wait_returns_at_once_where_the_value_is_another) {
    const typename TypeParam::atomic atomic(TypeParam::make(1));
    atomic.wait({});
    atomic.wait(TypeParam::make(1));
}

CONTRACT(owning_atomic_pointer, null_can_be_assigned_as_lwg_3893_has_it) {
    typename TypeParam::atomic atomic(TypeParam::make(1));
    atomic = nullptr;
    EXPECT_EQ(atomic.load(), nullptr);
    const typename TypeParam::atomic null(nullptr);
    EXPECT_EQ(null.load(), nullptr);
}

CONTRACT(owning_atomic_pointer, it_owns_its_value) {
    typename TypeParam::atomic atomic(TypeParam::make(1));
    EXPECT_EQ(TestFixture::destroyed(), 0);
    atomic.store(TypeParam::make(2));
    EXPECT_EQ(TestFixture::destroyed(), 1);
    EXPECT_EQ(atomic.load()->value, 2);
}

CONTRACT(owning_atomic_pointer, what_is_loaded_has_an_owner_more) {
    typename TypeParam::atomic atomic(TypeParam::make(1));
    auto loaded = atomic.load();
    atomic.store(nullptr);
    EXPECT_EQ(TestFixture::destroyed(), 0);
    EXPECT_EQ(loaded->value, 1);
    loaded = nullptr;
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(owning_atomic_pointer, an_exchange_leaves_no_owner_behind) {
    typename TypeParam::atomic atomic(TypeParam::make(1));
    auto old = atomic.exchange(TypeParam::make(2));
    EXPECT_EQ(TestFixture::destroyed(), 0);
    old = nullptr;
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(owning_atomic_pointer, compare_exchange_releases_what_it_does_not_store) {
    typename TypeParam::atomic atomic(TypeParam::make(1));
    typename TypeParam::pointer expected;
    EXPECT_FALSE(atomic.compare_exchange_strong(expected, TypeParam::make(2)));
    EXPECT_EQ(TestFixture::destroyed(), 1);
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, TypeParam::make(3)));
    EXPECT_EQ(TestFixture::destroyed(), 1);
    expected = nullptr;
    EXPECT_EQ(TestFixture::destroyed(), 2);
}

CONTRACT(owning_atomic_pointer, its_destructor_releases_the_value) {
    {
        const typename TypeParam::atomic atomic(TypeParam::make(1));
    }
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(owning_atomic_pointer, the_destructor_of_an_old_value_may_use_the_atomic_again) {
    typename TypeParam::atomic atomic(TypeParam::make(1));
    int seen = 0;
    const auto see = [&] { seen = atomic.load() ? atomic.load()->value : -1; };
    atomic.load()->at_end = see;
    atomic.store(TypeParam::make(2));
    EXPECT_EQ(TestFixture::destroyed(), 1);
    EXPECT_EQ(seen, 2);
    atomic.load()->at_end = see;
    atomic.exchange(TypeParam::make(3));
    EXPECT_EQ(TestFixture::destroyed(), 2);
    EXPECT_EQ(seen, 3);
    auto expected = TypeParam::make(4);
    expected->at_end = see;
    EXPECT_FALSE(atomic.compare_exchange_strong(expected, TypeParam::make(5)));
    EXPECT_EQ(seen, 3) << "what was expected is destroyed";
    EXPECT_EQ(TestFixture::destroyed(), 4);
    atomic.load()->at_end = see;
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, TypeParam::make(6)));
    expected = nullptr;
    EXPECT_EQ(TestFixture::destroyed(), 5);
    EXPECT_EQ(seen, 6);
}

CONTRACT(owning_atomic_pointer, a_snapshot_keeps_the_object_alive) {
    typename TypeParam::atomic atomic(TypeParam::make(1));
    auto read = atomic.snapshot();
    atomic.store(nullptr);
    EXPECT_EQ(TestFixture::destroyed(), 0);
    EXPECT_EQ(read->value, 1);
    read.reset();
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(owning_atomic_pointer, a_snapshot_gives_an_owner) {
    typename TypeParam::atomic atomic(TypeParam::make(1));
    auto read = atomic.snapshot();
    auto owner = read.share();
    read.reset();
    atomic.store(nullptr);
    EXPECT_EQ(TestFixture::destroyed(), 0);
    EXPECT_EQ(owner->value, 1);
    owner = nullptr;
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(owning_atomic_pointer, a_snapshot_of_null_is_null) {
    const typename TypeParam::atomic atomic;
    EXPECT_EQ(atomic.snapshot(), nullptr);
    EXPECT_EQ(atomic.snapshot().share(), nullptr);
}

CONTRACT(owning_atomic_pointer, compare_exchange_replaces_the_value_of_a_snapshot) {
    typename TypeParam::atomic atomic(TypeParam::make(1));
    auto expected = atomic.snapshot();
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, TypeParam::make(2), std::memory_order_acq_rel,
                                               std::memory_order_acquire));
    EXPECT_EQ(atomic.load()->value, 2);
    EXPECT_EQ(expected->value, 1);
    EXPECT_EQ(TestFixture::destroyed(), 0);
    expected.reset();
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(owning_atomic_pointer, compare_exchange_takes_a_snapshot_anew_if_the_value_differs) {
    typename TypeParam::atomic atomic(TypeParam::make(1));
    auto expected = atomic.snapshot();
    atomic.store(TypeParam::make(2));
    EXPECT_FALSE(atomic.compare_exchange_strong(expected, TypeParam::make(3)));
    EXPECT_EQ(TestFixture::destroyed(), 2) << "what it had protected, and what was not stored";
    EXPECT_EQ(expected->value, 2);
    EXPECT_TRUE(atomic.compare_exchange_weak(expected, nullptr));
    EXPECT_FALSE(atomic.compare_exchange_weak(expected, nullptr));
    EXPECT_EQ(expected, nullptr);
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, TypeParam::make(4)));
    EXPECT_EQ(atomic.load()->value, 4);
}

CONTRACT(owning_atomic_pointer, compare_exchange_replaces_the_value_of_a_snapshot_without_a_slot) {
    typename TypeParam::atomic atomic(TypeParam::make(1));
    std::vector<decltype(atomic.snapshot())> slots;
    for (int i = 0; i < 8; ++i) slots.push_back(atomic.snapshot());
    auto expected = atomic.snapshot();
    EXPECT_TRUE(atomic.compare_exchange_strong(expected, TypeParam::make(2)));
    EXPECT_EQ(expected->value, 1);
    EXPECT_FALSE(atomic.compare_exchange_strong(expected, TypeParam::make(3)));
    EXPECT_EQ(expected->value, 2);
    slots.clear();
    EXPECT_EQ(TestFixture::destroyed(), 2) << "what was not stored, and the first value";
    atomic.store(nullptr);
    EXPECT_EQ(TestFixture::destroyed(), 2);
    expected.reset();
    EXPECT_EQ(TestFixture::destroyed(), 3);
}

}  // namespace contracts

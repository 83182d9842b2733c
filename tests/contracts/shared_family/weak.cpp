// The contract of the shared_ptr family: observers ([util.smartptr.weak]).

#include <memory>
#include <utility>

#include "shared_family.hpp"

namespace contracts {

namespace {

struct virtual_base {
    int value = 7;
};

struct virtually_derived : virtual virtual_base, object {};

// Whose destructor asks its observer.
template <class Weak>
struct asking : support::tracked {
    ~asking() { *answer = observer.expired() && !observer.lock() && observer.use_count() == 0; }

    Weak observer;
    bool* answer = nullptr;
};

}  // namespace

CONTRACT(shared_family, a_default_constructed_observer_is_expired) {
    const typename TestFixture::template weak<object> observer;
    EXPECT_TRUE(observer.expired());
    EXPECT_EQ(observer.use_count(), 0);
    EXPECT_FALSE(observer.lock());
}

CONTRACT(shared_family, an_observer_does_not_keep_the_object_alive) {
    auto p = TestFixture::make();
    const auto observer = TestFixture::observe(p);
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_EQ(observer.use_count(), 1);
    EXPECT_FALSE(observer.expired());
    p.reset();
    EXPECT_EQ(TestFixture::destroyed(), 1);
    EXPECT_EQ(observer.use_count(), 0);
    EXPECT_TRUE(observer.expired());
}

CONTRACT(shared_family, lock_makes_an_owner_while_the_object_lives) {
    auto p = TestFixture::make(7);
    const auto observer = TestFixture::observe(p);
    const auto locked = observer.lock();
    EXPECT_TRUE(locked == p);
    EXPECT_EQ(p.use_count(), 2);
    p.reset();
    EXPECT_EQ(locked->value, 7);
    EXPECT_FALSE(observer.expired());
}

CONTRACT(shared_family, lock_makes_an_empty_pointer_when_the_object_has_ended) {
    auto p = TestFixture::make();
    const auto observer = TestFixture::observe(p);
    p.reset();
    const auto locked = observer.lock();
    EXPECT_EQ(locked.get(), nullptr);
    EXPECT_EQ(locked.use_count(), 0);
}

CONTRACT(shared_family, an_owner_is_constructed_from_an_observer) {
    const auto p = TestFixture::make();
    const auto observer = TestFixture::observe(p);
    const typename TestFixture::template pointer<const object> owner(observer);
    EXPECT_TRUE(owner == p);
    EXPECT_EQ(p.use_count(), 2);
}

CONTRACT(shared_family, an_owner_constructed_from_an_expired_observer_throws_bad_weak_ptr) {
    using owner = typename TestFixture::template pointer<object>;
    auto p = TestFixture::make();
    const auto observer = TestFixture::observe(p);
    p.reset();
    EXPECT_THROW(owner{observer}, std::bad_weak_ptr);
    EXPECT_THROW(owner{typename TestFixture::template weak<object>()}, std::bad_weak_ptr);
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(shared_family, a_copied_observer_observes_the_same) {
    auto p = TestFixture::make();
    auto observer = TestFixture::observe(p);
    const auto copy = observer;
    observer.reset();
    EXPECT_TRUE(observer.expired());
    EXPECT_TRUE(copy.lock() == p);
    p.reset();
    EXPECT_TRUE(copy.expired());
}

CONTRACT(shared_family, a_moved_observer_leaves_an_empty_one) {
    const auto p = TestFixture::make();
    auto observer = TestFixture::observe(p);
    const auto moved = std::move(observer);
    EXPECT_TRUE(moved.lock() == p);
    EXPECT_TRUE(observer.expired());
    const typename TestFixture::template weak<object> empty;
    EXPECT_FALSE(observer.owner_before(empty));
    EXPECT_FALSE(empty.owner_before(observer));
}

CONTRACT(shared_family, a_moved_observer_that_converts_leaves_an_empty_one) {
    const auto p = TestFixture::template make<virtually_derived>();
    auto observer = TestFixture::observe(p);
    const typename TestFixture::template weak<object> moved = std::move(observer);
    EXPECT_TRUE(moved.lock() == p);
    EXPECT_TRUE(observer.expired());
    EXPECT_TRUE(observer.owner_equal(typename TestFixture::template weak<object>()));
    typename TestFixture::template weak<const void> assigned;
    auto another = TestFixture::observe(p);
    assigned = std::move(another);
    EXPECT_TRUE(assigned.lock() == p);
    EXPECT_TRUE(another.owner_equal(typename TestFixture::template weak<object>()));
}

CONTRACT(shared_family, an_observer_is_assigned_by_copy_by_move_and_from_an_owner) {
    const auto p = TestFixture::make();
    const auto q = TestFixture::make();
    auto a = TestFixture::observe(p);
    auto b = TestFixture::observe(q);
    a = b;
    EXPECT_TRUE(a.lock() == q);
    a = p;
    EXPECT_TRUE(a.lock() == p);
    b = std::move(a);
    EXPECT_TRUE(b.lock() == p);
    EXPECT_TRUE(a.expired());
}

CONTRACT(shared_family, an_observer_assigned_to_itself_is_unchanged) {
    const auto p = TestFixture::make();
    auto observer = TestFixture::observe(p);
    auto& same = observer;
    observer = same;
    EXPECT_TRUE(observer.lock() == p);
    observer = std::move(same);
    EXPECT_TRUE(observer.lock() == p);
    observer.swap(same);
    EXPECT_TRUE(observer.lock() == p);
}

CONTRACT(shared_family, assignment_of_an_observer_lets_its_old_block_go) {
    support::ledger ledger;
    const auto other = TestFixture::make();
    auto observer = TestFixture::observe(TestFixture::allocate(TestFixture::recording(ledger)));
    EXPECT_EQ(ledger.live.size(), 1U);
    observer = other;
    EXPECT_TRUE(ledger.live.empty());
    observer = TestFixture::observe(TestFixture::allocate(TestFixture::recording(ledger)));
    observer = TestFixture::observe(other);
    EXPECT_TRUE(ledger.live.empty());
}

CONTRACT(shared_family, observers_are_swapped) {
    const auto p = TestFixture::make();
    auto a = TestFixture::observe(p);
    typename TestFixture::template weak<object> b;
    swap(a, b);
    EXPECT_TRUE(a.expired());
    EXPECT_TRUE(b.lock() == p);
}

CONTRACT(shared_family, an_observer_converts_where_the_pointer_does) {
    const auto p = TestFixture::template make<virtually_derived>();
    const auto observer = TestFixture::observe(p);
    const typename TestFixture::template weak<object> base = observer;
    EXPECT_EQ(base.lock().get(), p.get());
    typename TestFixture::template weak<const object> constant;
    constant = base;
    EXPECT_EQ(constant.lock().get(), p.get());
    typename TestFixture::template weak<void> untyped;
    untyped = p;
    EXPECT_EQ(untyped.lock().get(), p.get());
}

CONTRACT(shared_family, an_observer_converts_to_a_virtual_base_while_the_object_lives) {
    const auto p = TestFixture::template make<virtually_derived>();
    auto observer = TestFixture::observe(p);
    const typename TestFixture::template weak<virtual_base> copied = observer;
    EXPECT_EQ(copied.lock()->value, 7);
    const typename TestFixture::template weak<virtual_base> moved = std::move(observer);
    EXPECT_EQ(moved.lock()->value, 7);
    EXPECT_EQ(p.use_count(), 1);
}

CONTRACT(shared_family, an_expired_observer_converts_to_a_virtual_base_without_reading_the_object) {
    // The deleter really ends the memory: AddressSanitizer would see the object being read.
    auto p = TestFixture::own(new virtually_derived);
    auto observer = TestFixture::observe(p);
    p.reset();
    const typename TestFixture::template weak<virtual_base> copied = observer;
    EXPECT_TRUE(copied.expired());
    const typename TestFixture::template weak<virtual_base> moved = std::move(observer);
    EXPECT_TRUE(moved.expired());
}

CONTRACT(shared_family, a_converted_observer_keeps_the_owner_order_when_expired) {
    auto p = TestFixture::template make<virtually_derived>();
    const auto observer = TestFixture::observe(p);
    p.reset();
    const typename TestFixture::template weak<virtual_base> converted = observer;
    EXPECT_FALSE(observer.owner_before(converted));
    EXPECT_FALSE(converted.owner_before(observer));
}

CONTRACT(shared_family, an_object_that_ends_can_not_be_locked_any_more) {
    bool answer = false;
    auto p = TestFixture::template make<asking<typename TestFixture::template weak<void>>>();
    p->observer = p;
    p->answer = &answer;
    p.reset();
    EXPECT_TRUE(answer);
}

}  // namespace contracts

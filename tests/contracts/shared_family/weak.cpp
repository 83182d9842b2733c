// The contract of the shared_ptr family: weak pointers ([util.smartptr.weak]).

#include <memory>
#include <utility>

#include "shared_family.hpp"

namespace contracts {

namespace {

struct virtual_base {
    int value = 7;
};

struct virtually_derived : virtual virtual_base, object {};

// Its destructor reads its weak pointer.
template <class Weak>
struct asking : support::tracked {
    ~asking() { *answer = weak.expired() && !weak.lock() && weak.use_count() == 0; }

    Weak weak;
    bool* answer = nullptr;
};

}  // namespace

CONTRACT(shared_family, a_default_constructed_weak_pointer_is_expired) {
    const typename TestFixture::template weak_pointer<object> weak;
    EXPECT_TRUE(weak.expired());
    EXPECT_EQ(weak.use_count(), 0);
    EXPECT_FALSE(weak.lock());
}

CONTRACT(shared_family, a_weak_pointer_does_not_keep_the_object_alive) {
    auto p = TestFixture::make();
    const auto weak = TestFixture::weak_to(p);
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_EQ(weak.use_count(), 1);
    EXPECT_FALSE(weak.expired());
    p.reset();
    EXPECT_EQ(TestFixture::destroyed(), 1);
    EXPECT_EQ(weak.use_count(), 0);
    EXPECT_TRUE(weak.expired());
}

CONTRACT(shared_family, lock_makes_an_owner_while_the_object_lives) {
    auto p = TestFixture::make(7);
    const auto weak = TestFixture::weak_to(p);
    const auto locked = weak.lock();
    EXPECT_TRUE(locked == p);
    EXPECT_EQ(p.use_count(), 2);
    p.reset();
    EXPECT_EQ(locked->value, 7);
    EXPECT_FALSE(weak.expired());
}

CONTRACT(shared_family, lock_makes_an_empty_pointer_without_owners) {
    auto p = TestFixture::make();
    const auto weak = TestFixture::weak_to(p);
    p.reset();
    const auto locked = weak.lock();
    EXPECT_EQ(locked.get(), nullptr);
    EXPECT_EQ(locked.use_count(), 0);
}

CONTRACT(shared_family, an_owner_is_constructed_from_a_weak_pointer) {
    const auto p = TestFixture::make();
    const auto weak = TestFixture::weak_to(p);
    const typename TestFixture::template pointer<const object> owner(weak);
    EXPECT_TRUE(owner == p);
    EXPECT_EQ(p.use_count(), 2);
}

CONTRACT(shared_family, an_owner_constructed_from_an_expired_weak_pointer_throws_bad_weak_ptr) {
    using owner = typename TestFixture::template pointer<object>;
    auto p = TestFixture::make();
    const auto weak = TestFixture::weak_to(p);
    p.reset();
    EXPECT_THROW(owner{weak}, std::bad_weak_ptr);
    EXPECT_THROW(owner{typename TestFixture::template weak_pointer<object>()}, std::bad_weak_ptr);
    EXPECT_EQ(TestFixture::destroyed(), 1);
}

CONTRACT(shared_family, a_copied_weak_pointer_refers_to_the_same_object) {
    auto p = TestFixture::make();
    auto weak = TestFixture::weak_to(p);
    const auto copy = weak;
    weak.reset();
    EXPECT_TRUE(weak.expired());
    EXPECT_TRUE(copy.lock() == p);
    p.reset();
    EXPECT_TRUE(copy.expired());
}

CONTRACT(shared_family, a_moved_weak_pointer_leaves_an_empty_one) {
    const auto p = TestFixture::make();
    auto weak = TestFixture::weak_to(p);
    const auto moved = std::move(weak);
    EXPECT_TRUE(moved.lock() == p);
    EXPECT_TRUE(weak.expired());
    const typename TestFixture::template weak_pointer<object> empty;
    EXPECT_FALSE(weak.owner_before(empty));
    EXPECT_FALSE(empty.owner_before(weak));
}

CONTRACT(shared_family, a_moved_weak_pointer_that_converts_leaves_an_empty_one) {
    const auto p = TestFixture::template make<virtually_derived>();
    auto weak = TestFixture::weak_to(p);
    const typename TestFixture::template weak_pointer<object> moved = std::move(weak);
    EXPECT_TRUE(moved.lock() == p);
    EXPECT_TRUE(weak.expired());
    EXPECT_TRUE(weak.owner_equal(typename TestFixture::template weak_pointer<object>()));
    typename TestFixture::template weak_pointer<const void> assigned;
    auto another = TestFixture::weak_to(p);
    assigned = std::move(another);
    EXPECT_TRUE(assigned.lock() == p);
    EXPECT_TRUE(another.owner_equal(typename TestFixture::template weak_pointer<object>()));
}

CONTRACT(shared_family, a_weak_pointer_is_assigned_by_copy_by_move_and_from_an_owner) {
    const auto p = TestFixture::make();
    const auto q = TestFixture::make();
    auto a = TestFixture::weak_to(p);
    auto b = TestFixture::weak_to(q);
    a = b;
    EXPECT_TRUE(a.lock() == q);
    a = p;
    EXPECT_TRUE(a.lock() == p);
    b = std::move(a);
    EXPECT_TRUE(b.lock() == p);
    EXPECT_TRUE(a.expired());
}

CONTRACT(shared_family, a_weak_pointer_assigned_to_itself_is_unchanged) {
    const auto p = TestFixture::make();
    auto weak = TestFixture::weak_to(p);
    auto& same = weak;
    weak = same;
    EXPECT_TRUE(weak.lock() == p);
    weak = std::move(same);
    EXPECT_TRUE(weak.lock() == p);
    weak.swap(same);
    EXPECT_TRUE(weak.lock() == p);
}

CONTRACT(shared_family, assignment_to_a_weak_pointer_releases_its_old_block) {
    support::ledger ledger;
    const auto other = TestFixture::make();
    auto weak = TestFixture::weak_to(TestFixture::allocate(TestFixture::recording(ledger)));
    EXPECT_EQ(ledger.live.size(), 1U);
    weak = other;
    EXPECT_TRUE(ledger.live.empty());
    weak = TestFixture::weak_to(TestFixture::allocate(TestFixture::recording(ledger)));
    weak = TestFixture::weak_to(other);
    EXPECT_TRUE(ledger.live.empty());
}

CONTRACT(shared_family, weak_pointers_are_swapped) {
    const auto p = TestFixture::make();
    auto a = TestFixture::weak_to(p);
    typename TestFixture::template weak_pointer<object> b;
    swap(a, b);
    EXPECT_TRUE(a.expired());
    EXPECT_TRUE(b.lock() == p);
}

CONTRACT(shared_family, a_weak_pointer_converts_where_the_pointer_does) {
    const auto p = TestFixture::template make<virtually_derived>();
    const auto weak = TestFixture::weak_to(p);
    const typename TestFixture::template weak_pointer<object> base = weak;
    EXPECT_EQ(base.lock().get(), p.get());
    typename TestFixture::template weak_pointer<const object> constant;
    constant = base;
    EXPECT_EQ(constant.lock().get(), p.get());
    typename TestFixture::template weak_pointer<void> untyped;
    untyped = p;
    EXPECT_EQ(untyped.lock().get(), p.get());
}

CONTRACT(shared_family, a_weak_pointer_converts_to_a_virtual_base_while_the_object_lives) {
    const auto p = TestFixture::template make<virtually_derived>();
    auto weak = TestFixture::weak_to(p);
    const typename TestFixture::template weak_pointer<virtual_base> copied = weak;
    EXPECT_EQ(copied.lock()->value, 7);
    const typename TestFixture::template weak_pointer<virtual_base> moved = std::move(weak);
    EXPECT_EQ(moved.lock()->value, 7);
    EXPECT_EQ(p.use_count(), 1);
}

CONTRACT(shared_family, an_expired_weak_pointer_converts_to_a_virtual_base_without_reading_the_object) {
    // The deleter really frees the memory: AddressSanitizer would see the object being read.
    auto p = TestFixture::own(new virtually_derived);
    auto weak = TestFixture::weak_to(p);
    p.reset();
    const typename TestFixture::template weak_pointer<virtual_base> copied = weak;
    EXPECT_TRUE(copied.expired());
    const typename TestFixture::template weak_pointer<virtual_base> moved = std::move(weak);
    EXPECT_TRUE(moved.expired());
}

CONTRACT(shared_family, a_converted_weak_pointer_keeps_the_owner_order_when_expired) {
    auto p = TestFixture::template make<virtually_derived>();
    const auto weak = TestFixture::weak_to(p);
    p.reset();
    const typename TestFixture::template weak_pointer<virtual_base> converted = weak;
    EXPECT_FALSE(weak.owner_before(converted));
    EXPECT_FALSE(converted.owner_before(weak));
}

CONTRACT(shared_family, an_object_being_destroyed_can_not_be_locked) {
    bool answer = false;
    auto p = TestFixture::template make<asking<typename TestFixture::template weak_pointer<void>>>();
    p->weak = p;
    p->answer = &answer;
    p.reset();
    EXPECT_TRUE(answer);
}

}  // namespace contracts

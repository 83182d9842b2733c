// Owning pointers neither call by name nor apply operators where the user's type could answer.

#include <gtest/gtest.h>
#include <freehold/freehold.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "hostile_types.hpp"

namespace {

using freehold::atomic_counting;
using freehold::biased_counting;
using freehold::plain_counting;

// What every handle can do. Nothing here is called unqualified.
template <class Pointer>
void use_handle(Pointer& made) {
    Pointer copy(made);
    Pointer moved(std::move(copy));
    copy = moved;
    moved = std::move(copy);
    Pointer empty(nullptr);
    empty.swap(moved);
    freehold::swap(empty, moved);
    EXPECT_TRUE(freehold::operator==(made, moved));
    EXPECT_FALSE(freehold::operator==(made, nullptr));
    EXPECT_TRUE(static_cast<bool>(made));
    EXPECT_GE(made.use_count(), 2);
    EXPECT_EQ(std::hash<Pointer>()(made), std::hash<Pointer>()(moved));
    static_cast<void>(made.operator*());
    static_cast<void>(made.operator->());
    moved.reset();
}

template <class T, class Counting>
void use_weak_pointers(freehold::shared_ptr<T, Counting> owner) {
    using weak_type = freehold::weak_ptr<T, Counting>;
    weak_type weak(owner);
    weak_type copy(weak);
    weak_type moved(std::move(copy));
    copy = moved;
    copy = owner;
    moved = std::move(copy);
    moved.swap(weak);
    freehold::swap(moved, weak);
    EXPECT_FALSE(weak.expired());
    EXPECT_TRUE(weak.lock().owner_equal(owner));
    EXPECT_FALSE(weak.owner_before(owner));
    EXPECT_FALSE(owner.owner_before(weak));
    EXPECT_FALSE(freehold::owner_less<>()(owner, weak));
    EXPECT_FALSE((freehold::owner_less<freehold::shared_ptr<T, Counting>>()(owner, owner)));
    EXPECT_FALSE((freehold::owner_less<weak_type>()(weak, weak)));
    EXPECT_TRUE(freehold::owner_equal()(owner, weak));
    EXPECT_EQ(freehold::owner_hash()(owner), freehold::owner_hash()(weak));
    freehold::shared_ptr<T, Counting> again(weak);
    freehold::shared_ptr<const T, Counting> as_const(again);
    EXPECT_EQ(freehold::operator<=>(again, as_const), std::strong_ordering::equal);
    EXPECT_EQ(freehold::operator<=>(again, nullptr), std::strong_ordering::greater);
    EXPECT_TRUE((freehold::static_pointer_cast<const T>(again).owner_equal(owner)));
    EXPECT_TRUE((freehold::const_pointer_cast<T>(std::move(as_const)).owner_equal(owner)));
    EXPECT_TRUE((freehold::reinterpret_pointer_cast<T>(std::move(again)).owner_equal(owner)));
}

template <class T, class Counting>
void use_conversions(freehold::shared_ptr<T, Counting> owner) {
    freehold::managed_ptr<T> managed(std::move(owner));
    freehold::managed_ptr<T> other;
    other.swap(managed);
    freehold::swap(other, managed);
    EXPECT_FALSE(freehold::operator==(managed, nullptr));
    owner = std::move(managed);
    const freehold::borrowed_ptr<T> borrowed(owner);
    static_cast<void>(borrowed.operator*());
    static_cast<void>(borrowed.operator->());
    EXPECT_TRUE(static_cast<bool>(borrowed));
    EXPECT_TRUE((borrowed.template share<freehold::shared_ptr<T, Counting>>().owner_equal(owner)));
    EXPECT_FALSE(static_cast<bool>(freehold::get_deleter<std::default_delete<T>>(owner)));
}

template <class T, class Counting>
void use_reuse(freehold::shared_ptr<T, Counting> owner) {
    static_cast<void>(freehold::make_mutable(owner));
    owner = freehold::reuse(std::move(owner));
    EXPECT_TRUE(freehold::try_unwrap(std::move(owner)).has_value());
}

template <class T, class Counting>
void use_shared(freehold::shared_ptr<T, Counting> owner) {
    ::use_handle(owner);
    ::use_weak_pointers(owner);
    ::use_conversions(owner);
    owner.reset(new T());
    owner.reset(new T(), std::default_delete<T>());
    owner.reset(new T(), std::default_delete<T>(), std::allocator<T>());
    owner.reset(new T(), std::allocator<T>());
    owner = std::make_unique<T>();
    EXPECT_TRUE(owner.unique());
    auto single = freehold::make_shared_with_weak<T, Counting>([](const auto&) { return T(); });
    ::use_reuse(std::move(single));
}

template <class T>
void use_arrays() {
    auto array = freehold::make_shared<T[]>(2);
    static_cast<void>(array.operator[](1));
    array = freehold::make_shared<T[]>(2, array.operator[](0));
    auto fixed = freehold::make_shared<T[2][3]>();
    fixed = freehold::make_shared_for_overwrite<T[2][3]>();
    array = std::make_unique<T[]>(2);
    EXPECT_TRUE(freehold::make_shared_array<T>(2).unique());
}

template <class T>
void use_every_creation() {
    ::use_shared(freehold::make_shared<T>());
    ::use_shared(freehold::make_shared<T>(std::nothrow));
    ::use_shared(freehold::make_shared_for_overwrite<T>());
    ::use_shared(freehold::make_shared_object<T>());
    ::use_shared(freehold::allocate_shared<T>(std::allocator<T>()));
    ::use_shared(freehold::make_local_shared<T>());
    ::use_shared(freehold::make_biased_shared<T>());
    freehold::merge_biased_count(freehold::make_biased_shared<T>());
    ::use_shared(freehold::make_sharded_shared<T>());
    static_cast<void>(freehold::anchor(freehold::make_sharded_shared<T>()));
    freehold::open_shards(freehold::make_sharded_shared<T>());
    freehold::immortal<T> eternal;
    EXPECT_TRUE(static_cast<bool>(eternal.share()));
    ::use_arrays<T>();
}

template <class T, class Counting>
void use_thin() {
    auto owner = freehold::make_thin<T, Counting>();
    ::use_handle(owner);
    EXPECT_EQ(freehold::operator<=>(owner, owner), std::strong_ordering::equal);
    owner = freehold::reuse(std::move(owner));
    const auto shared_too = owner;
    owner = freehold::reuse(std::move(owner));
    ::use_weak_pointers<T, Counting>(owner);
}

template <class Pointer>
void use_atomically(Pointer owner) {
    std::atomic<Pointer> shared(owner);
    Pointer expected = shared.load();
    shared.store(owner);
    EXPECT_TRUE(shared.compare_exchange_strong(expected, owner));
    EXPECT_TRUE(shared.compare_exchange_weak(expected, owner));
    shared.wait(Pointer());
    expected = shared.exchange(owner);
    shared = expected;
    shared.notify_all();
}

template <class T>
void use_atomic_access(freehold::shared_ptr<T> owner) {
    freehold::shared_ptr<T>* const place = std::addressof(owner);
    freehold::shared_ptr<T> expected = freehold::atomic_load(place);
    freehold::atomic_store(place, expected);
    freehold::atomic_exchange(place, expected);
    EXPECT_TRUE(freehold::atomic_compare_exchange_strong(place, std::addressof(expected), expected));
    EXPECT_TRUE(freehold::atomic_compare_exchange_weak(place, std::addressof(expected), expected));
    EXPECT_FALSE(freehold::atomic_is_lock_free(place));
}

struct counted_object : hostile::object, freehold::ref_counted<counted_object> {};
struct counted_holder : freehold::ref_counted<counted_holder> {
    hostile::pointer held = nullptr;
};

}  // namespace

TEST(hostile_types, shared_ptr_holds_them) {
    ::use_every_creation<hostile::pointer>();
    ::use_every_creation<hostile::object>();
}

TEST(hostile_types, shared_ptr_converts_and_casts_them) {
    freehold::shared_ptr<hostile::object> base = freehold::make_shared<hostile::derived>(7);
    EXPECT_EQ(freehold::dynamic_pointer_cast<hostile::derived>(base)->value, 7);
    const freehold::weak_ptr<hostile::object> weak(freehold::static_pointer_cast<hostile::derived>(base));
    EXPECT_TRUE(weak.lock().owner_equal(base));
}

TEST(hostile_types, atomic_shared_ptr_holds_them) {
    ::use_atomically(freehold::make_shared<hostile::pointer>());
    ::use_atomically(freehold::make_shared<hostile::object>());
    ::use_atomically(freehold::weak_ptr(freehold::make_shared<hostile::pointer>()));
    ::use_atomically(freehold::weak_ptr(freehold::make_shared<hostile::object>()));
}

TEST(hostile_types, atomic_access_holds_them) {
    ::use_atomic_access(freehold::make_shared<hostile::pointer>());
    ::use_atomic_access(freehold::make_shared<hostile::object>());
}

TEST(hostile_types, thin_ptr_holds_them) {
    ::use_thin<hostile::pointer, atomic_counting>();
    ::use_thin<hostile::object, atomic_counting>();
    ::use_thin<hostile::pointer, plain_counting>();
    ::use_thin<hostile::object, biased_counting>();
}

TEST(hostile_types, linked_ptr_holds_them) {
    freehold::linked_ptr<hostile::pointer> pointer(new hostile::pointer());
    ::use_handle(pointer);
    freehold::linked_ptr<hostile::object> object(new hostile::derived());
    ::use_handle(object);
}

TEST(hostile_types, intrusive_ptr_holds_them) {
    auto object = freehold::make_intrusive<counted_object>();
    freehold::intrusive_ptr<counted_object> other(object);
    other = std::move(object);
    EXPECT_TRUE(freehold::operator==(object, nullptr));
    EXPECT_EQ(other->use_count(), 1);
}

// Collectors neither call by name nor apply operators where the user's type could answer.

#include <gtest/gtest.h>
#include <freehold/diagnosis/diagnosis.hpp>
#include <freehold/freehold.hpp>
#include <freehold/interop/shared_root.hpp>

#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "hostile_types.hpp"

template <>
inline constexpr bool freehold::is_untraced<hostile::object> = true;
// A traced_heap asks whether what a raw pointer points to leads to traced_ptrs.
template <>
inline constexpr bool freehold::is_untraced<hostile::pointer> = true;

namespace hostile {

// Members of every structure that trace looks into, in a namespace whose operators are not to be used.
template <class Pointer>
struct node {
    void trace(auto& visit) const { visit(next, several, maybe, either, both, here); }

    pointer raw = nullptr;
    object other;
    Pointer next;
    std::vector<Pointer> several;
    std::optional<Pointer> maybe;
    std::variant<int, Pointer> either;
    std::tuple<object, Pointer> both;
    Pointer here[2];
};

struct cyclic_node;
struct shared_cyclic_node;
struct traced_node;

struct cyclic_node : node<freehold::cyclic_ptr<cyclic_node>> {};
struct shared_cyclic_node : node<freehold::concurrent_cyclic_ptr<shared_cyclic_node>> {};
struct traced_node : node<freehold::traced_ptr<traced_node>> {};

// An aggregate, whose members are found by reflection.
struct plain_node {
    freehold::cyclic_ptr<plain_node> next;
    object other;
    pointer raw = nullptr;
};

}  // namespace hostile

namespace {

template <class T>
void use_cyclic(freehold::cyclic_ptr<T> owner) {
    freehold::cyclic_ptr<T> copy(owner);
    freehold::cyclic_ptr<const T> as_const(copy);
    freehold::swap(copy, owner);
    freehold::cyclic_weak_ptr<T> weak(owner);
    freehold::cyclic_weak_ptr<T> other;
    freehold::swap(weak, other);
    EXPECT_TRUE(weak.expired());
    EXPECT_TRUE(freehold::operator==(other.lock(), owner));
    EXPECT_FALSE(freehold::operator==(owner, nullptr));
    EXPECT_EQ(freehold::operator<=>(owner, copy), std::strong_ordering::equal);
    static_cast<void>(owner.operator*());
    static_cast<void>(owner.operator->());
    EXPECT_TRUE(static_cast<bool>(freehold::shared_root(owner)));
}

template <class Handle>
void use_traced(const Handle& handle) {
    EXPECT_TRUE(static_cast<bool>(handle));
    static_cast<void>(handle.operator*());
    static_cast<void>(handle.operator->());
}

template <class T>
void use_traced_heap() {
    freehold::traced_heap heap;
    freehold::traced_local<T> made = heap.make<T>();
    freehold::traced_local<T> copy(made);
    copy = heap.make_unrooted<T>();
    copy = nullptr;
    ::use_traced(made);
    ::use_traced(freehold::traced_view<T>(made));
    freehold::traced_root<T> kept(made);
    kept = made;
    ::use_traced(kept);
    freehold::traced_weak_ptr<T> weak(made);
    EXPECT_FALSE(weak.expired());
    ::use_traced(weak.lock());
    const freehold::ephemeron<T, T> pair(made, kept);
    ::use_traced(pair.value());
    heap.add_finalizer(made, [](T&) {});
    heap.collect();
}

}  // namespace

TEST(hostile_types, cyclic_ptr_holds_them) {
    ::use_cyclic(freehold::make_cyclic<hostile::pointer>());
    ::use_cyclic(freehold::make_cyclic<hostile::object>());
    ::use_cyclic(freehold::make_cyclic<hostile::cyclic_node>());
    ::use_cyclic(freehold::make_cyclic<hostile::plain_node>());
}

TEST(hostile_types, cyclic_ptr_collects_them) {
    auto owner = freehold::make_cyclic<hostile::cyclic_node>();
    owner->several.push_back(owner);
    owner.reset();
    EXPECT_EQ(freehold::cycle_collector::collect(), 1U);
}

TEST(hostile_types, concurrent_cyclic_ptr_holds_them) {
    freehold::cyclic_heap heap;
    const freehold::cyclic_heap::session session(heap);
    auto owner = heap.make<hostile::shared_cyclic_node>();
    owner->several.push_back(owner);
    freehold::concurrent_cyclic_weak_ptr<hostile::shared_cyclic_node> weak(owner);
    EXPECT_FALSE(weak.expired());
    owner.reset();
    heap.collect();
    EXPECT_TRUE(weak.expired());
    EXPECT_TRUE(static_cast<bool>(heap.make<hostile::pointer>()));
    EXPECT_TRUE(static_cast<bool>(heap.make<hostile::object>()));
}

TEST(hostile_types, traced_heap_holds_them) {
    ::use_traced_heap<hostile::pointer>();
    ::use_traced_heap<hostile::object>();
    ::use_traced_heap<hostile::traced_node>();
}

TEST(hostile_types, diagnosis_holds_them) {
    EXPECT_TRUE(static_cast<bool>(freehold::make_diagnosed<hostile::pointer>()));
}

#include <gtest/gtest.h>
#include <freehold/tracing/untraced.hpp>

#include <functional>
#include <memory>
#include <type_traits>

#include <freehold/traced/traced_heap.hpp>

namespace {

using freehold::untraced;

struct node {
    int value = 0;
    freehold::traced_ptr<node> child;
    untraced<node*> parent;
};

}  // namespace

static_assert(sizeof(untraced<int*>) == sizeof(int*));
static_assert(std::is_trivially_copyable_v<untraced<int*>>);
static_assert(freehold::is_untraced<untraced<freehold::traced_ptr<node>>>);
static_assert(!freehold::leads_to_traced<untraced<freehold::traced_ptr<node>>>);
static_assert(noexcept(untraced<int*>()));

TEST(untraced, is_the_value_of_its_type_by_default) { EXPECT_EQ(untraced<int*>().get(), nullptr); }

TEST(untraced, is_used_as_the_pointer_that_it_holds) {
    node object;
    untraced<node*> pointer = &object;
    pointer->value = 1;
    EXPECT_EQ((*pointer).value, 1);
    EXPECT_EQ(pointer, &object);
    pointer = nullptr;
    EXPECT_FALSE(pointer);
}

TEST(untraced, holds_a_smart_pointer) {
    const untraced<std::unique_ptr<node>> pointer = std::make_unique<node>(node{2, {}, {}});
    EXPECT_EQ(pointer->value, 2);
    EXPECT_NE(pointer.get(), nullptr);
}

TEST(untraced, lets_a_traced_object_hold_a_raw_pointer) {
    freehold::traced_heap heap;
    const freehold::traced_local<node> parent = heap.make<node>();
    parent->child = heap.make<node>();
    parent->child->parent = parent.get();
    heap.collect();
    EXPECT_EQ(parent->child->parent.get(), parent.get());
}

TEST(untraced, holds_a_type_without_a_default) {
    struct object {
        freehold::traced_ptr<node> child;
        untraced<std::reference_wrapper<node>> parent;
    };
    static_assert(!std::is_default_constructible_v<untraced<std::reference_wrapper<node>>>);
    freehold::traced_heap heap;
    node other;
    const freehold::traced_local<object> made = heap.make<object>(nullptr, std::ref(other));
    EXPECT_EQ(&made->parent.get().get(), &other);
}

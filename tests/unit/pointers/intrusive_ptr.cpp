// What intrusive_ptr has in common with other pointers is tested in contracts/owning_pointer/.

#include <gtest/gtest.h>
#include <freehold/pointers/intrusive_ptr.hpp>
#include <freehold/pointers/ref_counted.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

#include <freehold/counting/atomic_counting.hpp>
#include <freehold/counting/plain_counting.hpp>

#include "support/thread_state.hpp"
#include "support/tracked.hpp"

namespace user {

// Brings its own count: neither a base class nor anything else of Freehold.
struct widget : support::tracked {
    int owners = 0;
};

void intrusive_ptr_add_ref(widget* object) noexcept { ++object->owners; }

void intrusive_ptr_release(widget* object) noexcept {
    if (--object->owners == 0) delete object;
}

}  // namespace user

namespace {

using freehold::intrusive_ptr;
using user::widget;

struct base {};
struct derived : base {};
struct unrelated {};

struct node : freehold::ref_counted<node>, support::tracked {};

// Makes an owner of itself while it is constructed, and keeps its count above 0 meanwhile.
struct registering : freehold::ref_counted<registering>, support::tracked {
    explicit registering(intrusive_ptr<registering>& registry) { registry = this; }
};

// Makes an owner of itself while it is destroyed, and releases it.
template <class Counting>
struct reentrant : freehold::ref_counted<reentrant<Counting>, Counting>, support::tracked {
    ~reentrant() {
        const intrusive_ptr<reentrant> self(this);
        const auto copy = self;
        EXPECT_EQ(this->use_count(), 0);
    }
};

// Can be counted at compile time.
struct constant_node {
    int owners = 0;
};

constexpr void intrusive_ptr_add_ref(constant_node* object) noexcept { ++object->owners; }

constexpr void intrusive_ptr_release(constant_node* object) noexcept {
    if (--object->owners == 0) delete object;
}

consteval bool is_counted_at_compile_time() {
    auto p = freehold::make_intrusive<constant_node>();
    intrusive_ptr<constant_node> copy = p;
    intrusive_ptr<constant_node> moved(std::move(copy));
    copy = moved;
    moved = std::move(p);
    p = moved.get();
    swap(p, copy);
    intrusive_ptr<constant_node> cast = freehold::const_pointer_cast<constant_node>(p);
    cast.reset();
    moved.reset();
    return p == copy && copy->owners == 2 && (*p).owners == 2 && p != nullptr && !cast;
}

class intrusive_ptr_test : public support::tracked_test {};

// Made before any code runs.
constinit intrusive_ptr<node> constant_initialized;

}  // namespace

static_assert(sizeof(intrusive_ptr<node>) == sizeof(void*));
static_assert(std::is_convertible_v<node*, intrusive_ptr<node>>, "the count travels with the object");
static_assert(std::is_convertible_v<intrusive_ptr<derived>, intrusive_ptr<const base>>);
static_assert(!std::is_constructible_v<intrusive_ptr<derived>, intrusive_ptr<base>>);
static_assert(!std::is_constructible_v<intrusive_ptr<base>, intrusive_ptr<unrelated>>);
static_assert(!std::is_constructible_v<intrusive_ptr<base>, unrelated*>);
static_assert(!std::is_convertible_v<intrusive_ptr<node>, bool>);
static_assert(!std::is_convertible_v<intrusive_ptr<node>, node*>);
static_assert(std::is_nothrow_move_constructible_v<intrusive_ptr<node>>);
static_assert(std::is_nothrow_move_assignable_v<intrusive_ptr<node>>);
static_assert(std::is_nothrow_constructible_v<intrusive_ptr<base>, intrusive_ptr<derived>>);
static_assert(std::is_nothrow_swappable_v<intrusive_ptr<node>>);
static_assert(std::is_nothrow_convertible_v<std::nullptr_t, intrusive_ptr<node>>);
static_assert(is_counted_at_compile_time());

TEST_F(intrusive_ptr_test, a_constant_initialized_pointer_is_null) { EXPECT_FALSE(constant_initialized); }

TEST_F(intrusive_ptr_test, a_type_may_bring_its_own_count) {
    {
        const intrusive_ptr<widget> p(new widget);
        EXPECT_EQ(p->owners, 1);
        auto copy = p;
        EXPECT_EQ(p->owners, 2);
        const auto moved = std::move(copy);
        EXPECT_EQ(p->owners, 2);
    }
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(intrusive_ptr_test, a_raw_pointer_can_become_an_owner_again) {
    const intrusive_ptr<node> p(new node);
    node* const raw = p.get();
    const intrusive_ptr<node> again = raw;
    EXPECT_EQ(p->use_count(), 2);
    intrusive_ptr<node> assigned;
    assigned = raw;
    EXPECT_EQ(p->use_count(), 3);
}

TEST_F(intrusive_ptr_test, its_own_raw_pointer_may_be_assigned) {
    intrusive_ptr<node> p(new node);
    p = p.get();
    EXPECT_EQ(p->use_count(), 1);
    p.reset(p.get());
    EXPECT_EQ(p->use_count(), 1);
    EXPECT_EQ(support::tracked::destroyed(), 0);
}

TEST_F(intrusive_ptr_test, detach_gives_the_owner_away_without_counting) {
    intrusive_ptr<node> p(new node);
    node* const raw = p.detach();
    EXPECT_FALSE(p);
    EXPECT_EQ(raw->use_count(), 1);
    const intrusive_ptr<node> attached(raw, false);
    EXPECT_EQ(attached->use_count(), 1);
}

TEST_F(intrusive_ptr_test, reset_attaches_an_owner_that_is_counted_already) {
    intrusive_ptr<node> p(new node);
    intrusive_ptr<node> q(new node);
    q.reset(p.detach(), false);
    EXPECT_EQ(q->use_count(), 1);
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(intrusive_ptr_test, detach_of_null_is_null) {
    intrusive_ptr<node> p;
    EXPECT_EQ(p.detach(), nullptr);
}

TEST_F(intrusive_ptr_test, a_literal_0_is_null) {
    intrusive_ptr<widget> p(0);
    EXPECT_FALSE(p);
    p = new widget;
    p = 0;
    EXPECT_TRUE(p == 0);
    p.reset(0);
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(intrusive_ptr_test, null_is_never_counted) {
    const intrusive_ptr<node> p(static_cast<node*>(nullptr));
    const intrusive_ptr<node> q(nullptr, false);
    EXPECT_FALSE(p);
    EXPECT_FALSE(q);
}

TEST_F(intrusive_ptr_test, a_cast_of_an_rvalue_takes_over) {
    intrusive_ptr<const node> p(new node);
    const node* const object = p.get();
    intrusive_ptr<node> q = const_pointer_cast<node>(std::move(p));
    EXPECT_EQ(q.get(), object);
    EXPECT_FALSE(p);
    const intrusive_ptr<const node> r = static_pointer_cast<const node>(std::move(q));
    EXPECT_FALSE(q);
    EXPECT_EQ(r->use_count(), 1);
}

TEST_F(intrusive_ptr_test, a_dynamic_cast_of_an_rvalue_takes_over_if_it_succeeds) {
    struct shape : freehold::ref_counted<shape> {
        virtual ~shape() = default;
    };
    struct circle : shape {};
    struct square : shape {};
    intrusive_ptr<shape> p(new circle);
    EXPECT_FALSE(dynamic_pointer_cast<square>(std::move(p)));
    EXPECT_EQ(p->use_count(), 1);
    const intrusive_ptr<circle> q = dynamic_pointer_cast<circle>(std::move(p));
    EXPECT_FALSE(p);
    EXPECT_EQ(q->use_count(), 1);
}

TEST_F(intrusive_ptr_test, an_object_may_be_owned_while_it_is_constructed) {
    intrusive_ptr<registering> registry;
    {
        const auto p = freehold::make_intrusive<registering>(registry);
        EXPECT_EQ(p->use_count(), 2);
        EXPECT_EQ(p, registry);
    }
    EXPECT_EQ(registry->use_count(), 1);
    EXPECT_EQ(support::tracked::destroyed(), 0);
}

TEST_F(intrusive_ptr_test, it_compares_with_raw_pointers) {
    const intrusive_ptr<node> p(new node);
    const node other;
    EXPECT_TRUE(p == p.get());
    EXPECT_TRUE(p.get() == p);
    EXPECT_FALSE(p == &other);
    EXPECT_TRUE(p != &other);
}

TEST_F(intrusive_ptr_test, an_owner_made_and_dropped_in_the_destructor_does_not_delete_twice) {
    freehold::make_intrusive<reentrant<freehold::plain_counting>>().reset();
    freehold::make_intrusive<reentrant<freehold::atomic_counting>>().reset();
    EXPECT_EQ(support::tracked::destroyed(), 2);
    support::start_first_thread();
    freehold::make_intrusive<reentrant<freehold::atomic_counting>>().reset();
    EXPECT_EQ(support::tracked::destroyed(), 3);
}

TEST_F(intrusive_ptr_test, a_member_of_the_object_being_destroyed_may_be_assigned) {
    struct chained : freehold::ref_counted<chained>, support::tracked {
        intrusive_ptr<chained> next;
    };
    intrusive_ptr<chained> p = freehold::make_intrusive<chained>();
    p->next = freehold::make_intrusive<chained>();
    p = p->next;
    EXPECT_EQ(support::tracked::destroyed(), 1);
    EXPECT_EQ(p->use_count(), 1);
}

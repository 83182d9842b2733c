// What thin_ptr has in common with other pointers is tested in contracts/owning_pointer/.

#include <gtest/gtest.h>
#include <freehold/pointers/thin_ptr.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <freehold/core/annotate.hpp>
#include <freehold/memory/small_block_pool.hpp>
#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include "support/tallied_counting.hpp"
#include "support/tracked.hpp"

using freehold::local_thin_ptr;
using freehold::make_thin;
using freehold::shared_ptr;
using freehold::thin_ptr;
using freehold::weak_ptr;

namespace {

struct base {
    int value = 7;
};
struct padding {
    long unused = 0;
};
struct derived : padding, base, support::tracked {};
struct unrelated {};

struct alignas(256) over_aligned : support::tracked {
    char bytes[300] = {};
};

// A base that a thin_ptr may name: at the beginning, with a virtual destructor.
struct shape {
    virtual ~shape() = default;
    virtual int corners() const { return 0; }
};
struct circle : shape, support::tracked {
    long radius = 1;
};
struct frame {
    virtual ~frame() = default;
};
struct framed : frame, shape {};
struct alignas(64) over_aligned_circle : circle {};

struct drawable {
    virtual ~drawable() = default;
    virtual void draw() = 0;
};
struct picture : drawable, support::tracked {
    void draw() override { drawn = true; }

    bool drawn = false;
};

struct incomplete;

struct self_aware : freehold::enable_shared_from_this<self_aware>, support::tracked {};

class thin_ptr_test : public support::tracked_test {};

// Made before any code runs.
constinit thin_ptr<int> constant_initialized;

}  // namespace

static_assert(sizeof(thin_ptr<int>) == sizeof(void*));
static_assert(sizeof(local_thin_ptr<int>) == sizeof(void*));
static_assert(sizeof(thin_ptr<incomplete>) == sizeof(void*), "a handle may be named before its object is known");

static_assert(!std::is_constructible_v<thin_ptr<int>, int*>, "it owns only what make_thin made");
static_assert(std::is_convertible_v<thin_ptr<derived>, shared_ptr<derived>>);
static_assert(std::is_convertible_v<thin_ptr<derived>, shared_ptr<const base>>);
static_assert(std::is_convertible_v<const thin_ptr<derived>&, shared_ptr<void>>);
static_assert(!std::is_constructible_v<shared_ptr<derived>, thin_ptr<base>>);
static_assert(!std::is_constructible_v<shared_ptr<base>, thin_ptr<unrelated>>);
static_assert(!std::is_constructible_v<shared_ptr<int>, local_thin_ptr<int>>, "two ways to count do not mix");
static_assert(!std::is_constructible_v<thin_ptr<int>, shared_ptr<int>>, "there is no way back");
static_assert(!std::is_constructible_v<thin_ptr<base>, thin_ptr<derived>>, "it ends exactly what it names");
static_assert(std::is_nothrow_convertible_v<thin_ptr<circle>, thin_ptr<shape>>);
static_assert(std::is_convertible_v<const thin_ptr<circle>&, thin_ptr<const shape>>);
static_assert(std::is_convertible_v<thin_ptr<int>, thin_ptr<const int>>);
static_assert(!std::is_constructible_v<thin_ptr<circle>, thin_ptr<shape>>);
static_assert(!std::is_constructible_v<thin_ptr<int>, thin_ptr<const int>>);
static_assert(!std::is_constructible_v<thin_ptr<padding>, thin_ptr<derived>>, "no virtual destructor");
static_assert(!std::is_constructible_v<thin_ptr<shape>, thin_ptr<framed>>, "another address");
static_assert(!std::is_constructible_v<thin_ptr<shape>, thin_ptr<over_aligned_circle>>, "another place of the count");
static_assert(!std::is_constructible_v<thin_ptr<shape>, local_thin_ptr<circle>>);
static_assert(!std::is_convertible_v<thin_ptr<int>, bool>);

static_assert(std::is_nothrow_default_constructible_v<thin_ptr<int>>);
static_assert(std::is_nothrow_copy_constructible_v<thin_ptr<int>>);
static_assert(std::is_nothrow_move_constructible_v<thin_ptr<int>>);
static_assert(std::is_nothrow_copy_assignable_v<thin_ptr<int>>);
static_assert(std::is_nothrow_move_assignable_v<thin_ptr<int>>);
static_assert(std::is_nothrow_swappable_v<thin_ptr<int>>);
static_assert(std::is_nothrow_convertible_v<thin_ptr<int>, shared_ptr<int>>);
static_assert(std::is_nothrow_convertible_v<const thin_ptr<int>&, shared_ptr<int>>);

TEST_F(thin_ptr_test, a_constant_initialized_pointer_is_null) {
    EXPECT_FALSE(constant_initialized);
    EXPECT_EQ(constant_initialized.use_count(), 0);
}

#ifndef FREEHOLD_ADDRESS_SANITIZER
TEST_F(thin_ptr_test, the_object_lies_16_bytes_behind_the_beginning_of_its_block) {
    // The pool reuses the last freed block of the same size.
    constexpr std::size_t bytes = 16 + sizeof(long);
    void* const block = freehold::small_block_pool::allocate(bytes);
    freehold::small_block_pool::deallocate(block, bytes);
    const auto p = make_thin<long>();
    EXPECT_EQ(static_cast<void*>(p.get()), static_cast<std::byte*>(block) + 16);
}
#endif

TEST_F(thin_ptr_test, thin_and_shared_owners_are_counted_together) {
    const auto p = make_thin<derived>();
    const shared_ptr<derived> shared = p;
    const auto copy = p;
    EXPECT_EQ(shared.get(), p.get());
    EXPECT_EQ(p.use_count(), 3);
    EXPECT_EQ(shared.use_count(), 3);
}

TEST_F(thin_ptr_test, a_shared_owner_keeps_the_object_of_a_thin_one) {
    auto p = make_thin<derived>();
    shared_ptr<base> shared = p;
    p.reset();
    EXPECT_EQ(support::tracked::destroyed(), 0);
    EXPECT_EQ(shared->value, 7);
    shared.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1) << "whole, though base has no virtual destructor";
}

TEST_F(thin_ptr_test, a_thin_owner_keeps_the_object_of_a_shared_one) {
    auto p = make_thin<derived>();
    shared_ptr<void> shared = p;
    shared.reset();
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_EQ(p->value, 7);
    p.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(thin_ptr_test, a_shared_owner_takes_a_thin_one_over_without_counting) {
    auto p = make_thin<int, support::tallied_counting>(7);
    support::tallied_counting::changes = 0;
    const shared_ptr<const int, support::tallied_counting> shared = std::move(p);
    EXPECT_EQ(support::tallied_counting::changes, 0);
    EXPECT_FALSE(p);
    EXPECT_EQ(*shared, 7);
    EXPECT_EQ(shared.use_count(), 1);
}

TEST_F(thin_ptr_test, null_converts_to_an_empty_shared_ptr) {
    const thin_ptr<derived> null;
    const shared_ptr<base> copied = null;
    const shared_ptr<base> moved = thin_ptr<derived>();
    EXPECT_FALSE(copied);
    EXPECT_EQ(copied.use_count(), 0);
    EXPECT_EQ(moved.use_count(), 0);
}

TEST_F(thin_ptr_test, its_object_gets_weak_pointers_through_a_shared_ptr) {
    auto p = make_thin<derived>();
    const weak_ptr<base> weak = shared_ptr<base>(p);
    EXPECT_EQ(weak.lock()->value, 7);
    p.reset();
    EXPECT_EQ(support::tracked::destroyed(), 1);
    EXPECT_TRUE(weak.expired());
}

TEST_F(thin_ptr_test, a_lock_keeps_the_object_of_a_thin_owner) {
    auto p = make_thin<derived>();
    const weak_ptr<derived> weak = shared_ptr<derived>(p);
    const auto locked = weak.lock();
    EXPECT_EQ(p.use_count(), 2);
    p.reset();
    EXPECT_EQ(support::tracked::destroyed(), 0);
}

TEST_F(thin_ptr_test, an_over_aligned_object_is_aligned_and_found_again) {
    {
        const auto p = make_thin<over_aligned>();
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p.get()) % alignof(over_aligned), 0U);
        const auto copy = p;
        EXPECT_EQ(p.use_count(), 2);
    }
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(thin_ptr_test, a_constant_object_can_be_made) {
    {
        const auto p = make_thin<const derived>();
        const auto copy = p;
        EXPECT_EQ(copy->value, 7);
    }
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(thin_ptr_test, an_object_knows_its_thin_owner) {
    const auto p = make_thin<self_aware>();
    const auto self = p->shared_from_this();
    EXPECT_EQ(self.get(), p.get());
    EXPECT_EQ(p.use_count(), 2);
}

TEST_F(thin_ptr_test, a_local_one_counts_plainly) {
    const auto p = make_thin<int, freehold::plain_counting>(7);
    static_assert(std::is_same_v<decltype(p), const local_thin_ptr<int>>);
    const shared_ptr<int, freehold::plain_counting> shared = p;
    EXPECT_EQ(shared.use_count(), 2);
}

TEST_F(thin_ptr_test, a_literal_0_is_null) {
    thin_ptr<int> p(0);
    p = 0;
    EXPECT_FALSE(p);
}

TEST_F(thin_ptr_test, an_owner_of_the_base_destroys_the_whole_object) {
    {
        thin_ptr<shape> p = make_thin<circle>();
        EXPECT_EQ(p->corners(), 0);
        EXPECT_EQ(p.use_count(), 1);
    }
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(thin_ptr_test, owners_of_base_and_derived_are_counted_together) {
    auto first = make_thin<circle>();
    thin_ptr<shape> second = first;
    EXPECT_EQ(second, first);
    EXPECT_EQ(second <=> first, std::strong_ordering::equal);
    EXPECT_EQ(first.use_count(), 2);
    first.reset();
    EXPECT_EQ(support::tracked::destroyed(), 0);
    const shared_ptr<shape> third = std::move(second);
    EXPECT_EQ(third.use_count(), 1);
}

TEST_F(thin_ptr_test, a_base_may_be_abstract) {
    thin_ptr<drawable> p = make_thin<picture>();
    p->draw();
    const thin_ptr<drawable> copy = p;
    p = nullptr;
    EXPECT_EQ(support::tracked::destroyed(), 0);
}

// What it has in common with weak pointers in a shared heap is tested in contracts/cyclic_collection/.

#include <gtest/gtest.h>
#include <freehold/cyclic/cyclic_weak_ptr.hpp>

#include <type_traits>

#include "support/tracked.hpp"

using freehold::cyclic_ptr;
using freehold::cyclic_weak_ptr;
using freehold::make_cyclic;

namespace {

struct node {
    cyclic_ptr<node> next;
    cyclic_weak_ptr<node> back;
    support::tracked part;
};

struct base : support::tracked {
    base() = default;
    base(const base&) = delete;
    base& operator=(const base&) = delete;
    virtual ~base() = default;
};

struct derived : base {
    void trace(auto&) const {}
};

class cyclic_weak_ptr_test : public support::tracked_test {};

}  // namespace

static_assert(sizeof(cyclic_weak_ptr<node>) == sizeof(void*));
static_assert(std::is_nothrow_default_constructible_v<cyclic_weak_ptr<node>>);
static_assert(std::is_nothrow_copy_constructible_v<cyclic_weak_ptr<node>>);
static_assert(std::is_nothrow_move_constructible_v<cyclic_weak_ptr<node>>);
static_assert(!std::is_constructible_v<cyclic_weak_ptr<derived>, cyclic_ptr<base>>);

TEST_F(cyclic_weak_ptr_test, it_converts_to_a_base) {
    const auto p = make_cyclic<derived>();
    const cyclic_weak_ptr<derived> weak = p;
    const cyclic_weak_ptr<base> as_base = weak;
    EXPECT_EQ(as_base.lock(), p);
    EXPECT_EQ(cyclic_weak_ptr<base>(p).lock(), p);
}

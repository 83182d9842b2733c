// What weak_ptr and local_weak_ptr do is tested in contracts/shared_family/weak.cpp; here is what the type promises.

#include <gtest/gtest.h>
#include <freehold/pointers/weak_ptr.hpp>

#include <type_traits>

#include <freehold/pointers/local_shared_ptr.hpp>

using freehold::local_weak_ptr;
using freehold::shared_ptr;
using freehold::weak_ptr;

namespace {

struct base {};
struct derived : base {};

// Made before any code runs.
constinit weak_ptr<int> constant_initialized;

}  // namespace

static_assert(sizeof(weak_ptr<int>) == 2 * sizeof(void*));
static_assert(std::is_same_v<weak_ptr<int[3]>::element_type, int>);

static_assert(std::is_convertible_v<shared_ptr<derived>, weak_ptr<base>>);
static_assert(std::is_convertible_v<weak_ptr<derived>, weak_ptr<const base>>);
static_assert(!std::is_constructible_v<weak_ptr<derived>, weak_ptr<base>>);
static_assert(!std::is_constructible_v<weak_ptr<derived>, shared_ptr<base>>);
static_assert(!std::is_constructible_v<weak_ptr<int>, int*>);
static_assert(std::is_convertible_v<weak_ptr<int[]>, weak_ptr<const int[]>>, "libstdc++ 12 refuses this");
static_assert(std::is_convertible_v<weak_ptr<int[3]>, weak_ptr<const int[]>>);
static_assert(!std::is_convertible_v<weak_ptr<derived[]>, weak_ptr<base[]>>);
static_assert(!std::is_constructible_v<weak_ptr<int>, local_weak_ptr<int>>, "two ways to count do not mix");

static_assert(std::is_nothrow_copy_constructible_v<weak_ptr<int>>);
static_assert(std::is_nothrow_move_constructible_v<weak_ptr<int>>);
static_assert(std::is_nothrow_copy_assignable_v<weak_ptr<int>>);
static_assert(std::is_nothrow_move_assignable_v<weak_ptr<int>>);
static_assert(std::is_nothrow_swappable_v<weak_ptr<int>>);
static_assert(noexcept(weak_ptr<int>().lock()));

static_assert(std::is_same_v<decltype(weak_ptr(shared_ptr<int>())), weak_ptr<int>>);

TEST(weak_ptr, a_constant_initialized_weak_pointer_is_expired) { EXPECT_TRUE(constant_initialized.expired()); }

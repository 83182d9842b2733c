// Which owners convert into a shared_ptr, explicitly or not, and what overload resolution makes of it.

#include <gtest/gtest.h>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/managed_ptr.hpp>
#include <freehold/pointers/shared_ptr.hpp>
#include <freehold/pointers/thin_ptr.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace {

struct base {
    virtual ~base() = default;
};
struct derived : base {};
struct virtually_derived : virtual base {};
struct unrelated {};

template <class T>
using owner = freehold::shared_ptr<T>;

template <class Target, class Source>
constexpr bool makes = std::is_constructible_v<Target, Source>;
template <class Target, class Source>
constexpr bool converts = std::is_convertible_v<Source, Target>;

static_assert(converts<owner<base>, owner<derived>> && converts<owner<base>, const owner<derived>&>);
static_assert(converts<owner<base>, owner<virtually_derived>>);
static_assert(converts<owner<const int[]>, owner<int[4]>> && !makes<owner<base[]>, owner<derived[]>>);
static_assert(!makes<owner<derived>, owner<base>> && !makes<owner<derived>, const owner<base>&>);

static_assert(makes<owner<base>, freehold::weak_ptr<derived>> && !converts<owner<base>, freehold::weak_ptr<derived>>);
static_assert(!makes<owner<derived>, freehold::weak_ptr<base>>);

static_assert(converts<owner<base>, std::unique_ptr<derived>> && converts<owner<int[]>, std::unique_ptr<int[]>>);
static_assert(!makes<owner<base>, std::unique_ptr<derived>&> && !makes<owner<base>, const std::unique_ptr<derived>>);
static_assert(!makes<owner<derived>, std::unique_ptr<base>>);

static_assert(converts<owner<base>, freehold::managed_ptr<derived>>);
static_assert(!makes<owner<base>, freehold::managed_ptr<derived>&>);
static_assert(converts<owner<base>, freehold::thin_ptr<derived>> &&
              converts<owner<base>, freehold::thin_ptr<derived>&>);

static_assert(makes<owner<base>, derived*> && !converts<owner<base>, derived*> && makes<owner<void>, derived*>);
static_assert(!makes<owner<derived>, base*> && !makes<owner<unrelated>, base*> && !makes<owner<void>, void*>);
static_assert(converts<owner<base>, std::nullptr_t> && !makes<owner<base>, int>);

static_assert(!makes<owner<base>, std::shared_ptr<base>> && !makes<std::shared_ptr<base>, owner<base>>);
static_assert(!makes<owner<base>, freehold::local_shared_ptr<base>>);

static_assert(std::is_nothrow_convertible_v<owner<derived>, owner<base>>);
static_assert(std::is_nothrow_convertible_v<const owner<derived>&, owner<base>>);
static_assert(!std::is_nothrow_constructible_v<owner<base>, freehold::weak_ptr<derived>>);
static_assert(!std::is_nothrow_constructible_v<owner<base>, std::unique_ptr<derived>>);

static_assert(std::is_assignable_v<owner<base>&, owner<derived>>);
static_assert(std::is_assignable_v<owner<base>&, std::unique_ptr<derived>>);
static_assert(!std::is_assignable_v<owner<base>&, derived*> &&
              !std::is_assignable_v<owner<base>&, std::shared_ptr<base>>);
static_assert(!std::is_assignable_v<owner<base>&, freehold::weak_ptr<base>>);

// A class derived from an owner converts as the owner does.
struct own_owner : owner<derived> {};
struct own_unique : std::unique_ptr<derived> {};
struct own_weak : freehold::weak_ptr<derived> {};
static_assert(converts<owner<base>, own_owner> && converts<owner<base>, const own_owner&>);
static_assert(converts<owner<base>, own_unique>);
static_assert(makes<owner<base>, own_weak> && !converts<owner<base>, own_weak>);

template <class T>
struct own_template : owner<T> {};
static_assert(converts<owner<base>, own_template<derived>> && converts<owner<base>, const own_template<derived>&>);

// A user's bridge from std is not refused.
struct own_bridge : std::shared_ptr<base> {
    operator owner<base>() const { return {}; }
};
static_assert(converts<owner<base>, own_bridge> && makes<owner<base>, own_bridge&>);

static_assert(std::is_same_v<decltype(freehold::shared_ptr(freehold::weak_ptr<base>())), owner<base>>);
static_assert(std::is_same_v<decltype(freehold::shared_ptr(std::unique_ptr<base>())), owner<base>>);

const char* taken(const owner<base>&) { return "freehold"; }
const char* taken(const std::shared_ptr<base>&) { return "std"; }
const char* counted(const owner<base>&) { return "atomic"; }
const char* counted(const freehold::local_shared_ptr<base>&) { return "plain"; }

TEST(shared_ptr_conversions, overloads_for_owners_of_both_libraries_are_not_ambiguous) {
    EXPECT_STREQ(taken(owner<derived>()), "freehold");
    EXPECT_STREQ(taken(std::shared_ptr<derived>()), "std");
    EXPECT_STREQ(counted(owner<derived>()), "atomic");
    EXPECT_STREQ(counted(freehold::local_shared_ptr<derived>()), "plain");
    const std::variant<owner<base>, std::shared_ptr<base>> either = std::shared_ptr<derived>();
    EXPECT_EQ(either.index(), 1U);
}

TEST(shared_ptr_conversions, a_const_rvalue_is_shared_and_not_moved) {
    const owner<derived> source = freehold::make_shared<derived>();
    const owner<base> shared = std::move(source);
    EXPECT_EQ(shared.use_count(), 2);
}

}  // namespace

#pragma once
// Which pointers convert into which shared pointers ([util.smartptr.shared.general], [util.smartptr.shared.const]).

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "../../core/config.hpp"

namespace freehold {

template <class T, class Counting>
class shared_ptr;
template <class T, class Counting>
class weak_ptr;
template <class T>
class managed_ptr;

}  // namespace freehold

namespace freehold::detail {

// Y* is compatible with T*: it converts, or it points to U[N] and T is U[] up to cv-qualification.
template <class Y, class T>
inline constexpr bool is_compatible = std::is_convertible_v<Y*, T*>;

template <class U, std::size_t N, class T>
    requires std::is_unbounded_array_v<T>
inline constexpr bool is_compatible<U[N], T> = std::is_convertible_v<U (*)[], T*>;

template <class Y, class T>
concept compatible_with = is_compatible<Y, T>;

// A Y* may be owned as T: for arrays through Y[] or Y[N], so that a pointer to derived never stands for an array.
template <class Y, class T>
inline constexpr bool is_ownable = std::is_convertible_v<Y*, T*>;

template <class Y, class U, std::size_t N>
inline constexpr bool is_ownable<Y, U[N]> = requires(Y (*p)[N]) { [](U(*)[N]) {}(p); };

template <class Y, class U>
inline constexpr bool is_ownable<Y, U[]> = requires(Y (*p)[]) { [](U(*)[]) {}(p); };

template <class Y, class T>
concept ownable_as = is_ownable<Y, T>;

// delete p, or delete[] p where T is an array, is well-formed for a Y*.
template <class Y, class T>
concept deletable_as = (std::is_array_v<T> && requires(Y* p) { delete[] p; }) ||
                       (!std::is_array_v<T> && !std::is_void_v<Y> && requires(Y* p) { delete p; });

// d(p) is well-formed, and d can be kept.
template <class D, class Pointer>
concept deleter_of = std::is_move_constructible_v<D> && requires(D& d, Pointer& p) { d(p); };

// What a unique_ptr<Y, Deleter> owns may be owned as T, with its deleter.
template <class Y, class Deleter, class T>
concept adoptable_as = compatible_with<Y, T> &&
                       std::is_convertible_v<typename std::unique_ptr<Y, Deleter>::pointer, std::remove_extent_t<T>*> &&
                       (std::is_reference_v<Deleter> || std::move_constructible<Deleter>);

// The type of a defaulted parameter that constrains D to deleter_of<D, Pointer>.
struct requirement_met {};
template <class D, class Pointer>
using if_deleter_of = std::enable_if_t<deleter_of<D, Pointer>, requirement_met>;

// A allocates, and is no deleter of a Pointer: an allocator in the place of a deleter.
template <class A, class Pointer>
concept allocator_only = !deleter_of<A, Pointer> && requires(A& a) {
    typename A::value_type;
    a.deallocate(a.allocate(1), 1);
};

// The type of a defaulted parameter that constrains Owner: an owner of what a shared_ptr<T> with the same counting may
// share. Not a concept: about that, clang writes three notes, and about this one.
template <class Owner>
inline constexpr bool is_weak = false;
template <class Y, class Counting>
inline constexpr bool is_weak<weak_ptr<Y, Counting>> = true;

template <class Owner, class T>
inline constexpr bool shares_with = false;
template <class Y, class Counting, class T>
inline constexpr bool shares_with<shared_ptr<Y, Counting>, T> = is_compatible<Y, T>;
template <class Y, class Counting, class T>
inline constexpr bool shares_with<weak_ptr<Y, Counting>, T> = is_compatible<Y, T>;

template <class Owner, class T>
using if_shares_with = std::enable_if_t<shares_with<Owner, T>, int>;

// As above: an owner that gives what it owns to a shared_ptr<T, Counting>.
template <class Owner, class T, class Counting>
inline constexpr bool is_taken_over = false;
template <class Y, class T, class Counting>
inline constexpr bool is_taken_over<shared_ptr<Y, Counting>, T, Counting> = is_compatible<Y, T>;
template <class Y, class Deleter, class T, class Counting>
inline constexpr bool is_taken_over<std::unique_ptr<Y, Deleter>, T, Counting> = adoptable_as<Y, Deleter, T>;
template <class Y, class T, class Counting>
inline constexpr bool is_taken_over<managed_ptr<Y>, T, Counting> = is_compatible<Y, T>;

template <class Owner, class T, class Counting>
using if_taken_over = std::enable_if_t<is_taken_over<Owner, T, Counting>, int>;

// Why a shared_ptr<T, Counting> is not made of a Source. No such type for all other sources.
struct std_owners_cross_by_from_std_of_std_bridge;
struct counted_in_another_way_see_std_bridge;
struct pointer_does_not_convert;
struct unique_ptr_is_not_moved;

template <class Source, class T, class Counting>
struct why_refused {};
template <class Y, class T, class Counting>
    requires(!(ownable_as<Y, T> && deletable_as<Y, T>))
struct why_refused<Y*, T, Counting> : std::type_identity<pointer_does_not_convert> {};
template <class Y, class Deleter, class T, class Counting>
struct why_refused<std::unique_ptr<Y, Deleter>, T, Counting>
    : std::conditional<adoptable_as<Y, Deleter, T>, unique_ptr_is_not_moved, pointer_does_not_convert> {};
template <class Y, class T, class Counting>
struct why_refused<std::shared_ptr<Y>, T, Counting> : std::type_identity<std_owners_cross_by_from_std_of_std_bridge> {};
template <class Y, class Counting, class T, class Other>
    requires(!std::is_same_v<Counting, Other>)
struct why_refused<shared_ptr<Y, Other>, T, Counting> : std::type_identity<counted_in_another_way_see_std_bridge> {};
template <class Y, class T, class Counting>
    requires(!is_compatible<Y, T>)
struct why_refused<shared_ptr<Y, Counting>, T, Counting> : std::type_identity<pointer_does_not_convert> {};

template <class Source, class T, class Counting>
using refusal = typename why_refused<Source, T, Counting>::type;

// A conversion of a Y* to a T* does not read the object, which may be destroyed. False for a virtual base.
template <class Y, class T>
concept convertible_when_expired = requires(T* p) { static_cast<Y*>(const_cast<std::remove_cv_t<T>*>(p)); };

}  // namespace freehold::detail

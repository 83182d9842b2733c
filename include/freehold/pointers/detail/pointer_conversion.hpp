#pragma once
// Which pointers convert into which shared pointers ([util.smartptr.shared.general], [util.smartptr.shared.const]).

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "../../fwd.hpp"

namespace freehold::inline v0_2::detail {

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

// A conversion of a Y* to a T* does not read the object, which may be destroyed. False for a virtual base.
template <class Y, class T>
concept convertible_when_expired = requires(T* p) { static_cast<Y*>(const_cast<std::remove_cv_t<T>*>(p)); };

// What a shared_ptr or weak_ptr is made of only by mistake if no constructor takes it: a pointer to something else,
// what owns or observes something else or counts in another way, or an owner of std, which freehold::from_std()
// converts.
template <class Source>
inline constexpr bool is_pointer_or_owner = std::is_pointer_v<Source>;

template <class Y, class Counting>
inline constexpr bool is_pointer_or_owner<shared_ptr<Y, Counting>> = true;

template <class Y, class Counting>
inline constexpr bool is_pointer_or_owner<weak_ptr<Y, Counting>> = true;

template <class Y>
inline constexpr bool is_pointer_or_owner<std::shared_ptr<Y>> = true;

template <class Source>
concept pointer_or_owner = is_pointer_or_owner<Source>;

}  // namespace freehold::detail

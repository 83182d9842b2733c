#pragma once
// The conversions between owners that find a header before the object from the object's address alone.

#include <type_traits>

#include "config.hpp"

namespace freehold::inline v0_2::detail {

// Storage for a T that is never constructed, whose address is a constant expression.
template <class T>
union unmade {
    constexpr unmade() noexcept : none() {}
    constexpr ~unmade() {}

    char none;
    T object;
};

// To clang 16 the union is a literal type only if T is one, so that it cannot be constexpr. g++ 12 would emit a
// constinit variable into the object file.
template <class T>
#ifdef __clang__
inline constinit unmade<T> place_of_unmade{};
#else
inline constexpr unmade<T> place_of_unmade{};
#endif

template <class Derived, class Base>
consteval bool lies_at_beginning() noexcept {
    const void* const derived = __builtin_addressof(place_of_unmade<Derived>.object);
    const void* const base = static_cast<const Base*>(__builtin_addressof(place_of_unmade<Derived>.object));
    return derived == base;
}

// Base lies at the beginning of Derived and of every class derived from it. A virtual base is excluded, as it may lie
// elsewhere in a derived class: there is no static_cast from it (clang), and its offset is no constant (g++).
template <class Derived, class Base>
concept first_base_of = !std::is_abstract_v<Derived> && requires(Base* base) {
    static_cast<Derived*>(base);
    typename std::bool_constant<detail::lies_at_beginning<Derived, Base>()>;
    requires detail::lies_at_beginning<Derived, Base>();
};

// An owner of a U may own it as a T: the same type up to cv-qualification, or its first base with a virtual
// destructor.
template <class U, class T>
concept owned_as = !std::is_same_v<U, T> && std::is_convertible_v<U*, T*> &&
                   (std::is_same_v<std::remove_cv_t<U>, std::remove_cv_t<T>> ||
                    (std::has_virtual_destructor_v<T> && first_base_of<std::remove_cv_t<U>, std::remove_cv_t<T>>));

// An owner of a T owns exactly a T and nothing derived from it, so that destroying it needs no virtual call.
template <class T>
inline constexpr bool is_owned_exactly = !std::has_virtual_destructor_v<T> || std::is_final_v<T>;

}  // namespace freehold::detail

#pragma once
// Which owners convert to which, where what stands before the object is found from either's address.

#include <type_traits>

namespace freehold::detail {

// Has room for a T that is never made, whose address can be asked for at compile time.
template <class T>
union unmade {
    constexpr unmade() noexcept : none() {}
    constexpr ~unmade() {}

    char none;
    T object;
};

// Clang 16 takes the union for no literal type where T is none, so that it cannot be constexpr. G++ 12 would put what
// is only constinit into the object file.
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

// Base lies at the beginning of Derived and of whatever derives from it. A virtual base may lie elsewhere in the
// latter: no cast leads down from one (clang), and its place is no constant (g++).
template <class Derived, class Base>
concept first_base_of = !std::is_abstract_v<Derived> && requires(Base* base) {
    static_cast<Derived*>(base);
    typename std::bool_constant<detail::lies_at_beginning<Derived, Base>()>;
    requires detail::lies_at_beginning<Derived, Base>();
};

// An owner of a U may own it as a T: the same type but for cv-qualification, or its first base with a virtual
// destructor.
template <class U, class T>
concept owned_as = !std::is_same_v<U, T> && std::is_convertible_v<U*, T*> &&
                   (std::is_same_v<std::remove_cv_t<U>, std::remove_cv_t<T>> ||
                    (std::has_virtual_destructor_v<T> && first_base_of<std::remove_cv_t<U>, std::remove_cv_t<T>>));

// What an owner of a T owns is a T and nothing derived from it, so that its end needs no call through a table.
template <class T>
inline constexpr bool is_owned_exactly = !std::has_virtual_destructor_v<T> || std::is_final_v<T>;

}  // namespace freehold::detail

#pragma once
// Which class declares a member function: a T, or a base that knows nothing of the members that T adds.

#include <type_traits>

#include "../../core/config.hpp"

namespace freehold::inline v0_2::detail {

template <class Class, class Result, class Argument>
std::type_identity<Class> declarer_of_unary(Result (Class::*)(Argument) const);
template <class Class, class Result, class Argument>
std::type_identity<Class> declarer_of_unary(Result (Class::*)(Argument) const&);

// Returns: the identity of the class that declares the member function trace(Visitor&), or a template of it; of T if
// that is not known. Requires: T has one.
template <class T, class Visitor>
consteval auto declarer_of_trace() {
    if constexpr (requires { detail::declarer_of_unary(&T::template trace<Visitor>); }) {
        return decltype(detail::declarer_of_unary(&T::template trace<Visitor>))();
    } else if constexpr (requires { detail::declarer_of_unary(&T::template trace<Visitor&>); }) {
        return decltype(detail::declarer_of_unary(&T::template trace<Visitor&>))();
    } else if constexpr (requires { detail::declarer_of_unary(&T::trace); }) {
        return decltype(detail::declarer_of_unary(&T::trace))();
    } else {
        return std::type_identity<T>();
    }
}

template <class Class, class Result>
std::type_identity<Class> declarer_of_nullary(Result (Class::*)() const);
template <class Class, class Result>
std::type_identity<Class> declarer_of_nullary(Result (Class::*)() const&);

// The same for begin() const.
template <class T>
consteval auto declarer_of_begin() {
    if constexpr (requires { detail::declarer_of_nullary(&T::begin); }) {
        return decltype(detail::declarer_of_nullary(&T::begin))();
    } else {
        return std::type_identity<T>();
    }
}

// Whether Base is a template that is told of T, so that its functions may know the members of T.
template <class T, class Base>
inline constexpr bool knows_derived = false;
template <class T, template <class...> class Base, class... Arguments>
inline constexpr bool knows_derived<T, Base<Arguments...>> = (std::is_same_v<T, Arguments> || ...);

// Whether T has members beyond those of its base, or may have.
template <class T, class Base>
inline constexpr bool adds_members = !std::is_same_v<T, Base> && sizeof(T) != sizeof(Base);

// Whether a class has some member called `trace`, accessible or not: then the name is ambiguous in a class with two
// bases that have one.
template <class T>
consteval bool names_trace() {
    if constexpr (std::is_class_v<T> && !std::is_final_v<T>) {
        struct other {
            int trace;
        };
        struct both : T, other {};
        return !requires { &both::trace; };
    } else {
        return false;
    }
}

}  // namespace freehold::detail

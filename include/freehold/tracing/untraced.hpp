#pragma once
// untraced<T>: a member that no collector looks into, because something else keeps alive what it leads to.
//
//     struct node {
//         freehold::traced_ptr<node> first_child;
//         freehold::untraced<node*> parent;     // alive as long as this node: the parent holds it
//     };
//
// A traced_heap refuses objects whose members lead to traced pointers that it does not find. This declares one of
// them; `is_untraced` (trace.hpp) declares a type, wherever it is a member.
//
// Thread safety, exceptions, complexity, cost: those of a T.

#include <type_traits>
#include <utility>

#include "trace.hpp"

namespace freehold::inline v0_2 {

template <class T>
class untraced {
public:
    using value_type = T;

    // Postconditions: get() == T().
    constexpr untraced() noexcept(std::is_nothrow_default_constructible_v<T>)
        requires std::is_default_constructible_v<T>
        : value_() {}
    constexpr untraced(T value) noexcept(std::is_nothrow_move_constructible_v<T>) : value_(std::move(value)) {}

    [[nodiscard]] constexpr T& get() noexcept { return value_; }
    [[nodiscard]] constexpr const T& get() const noexcept { return value_; }
    constexpr operator const T&() const noexcept { return value_; }

    // For pointers, raw or not.
    [[nodiscard]] constexpr decltype(auto) operator*() const
        requires requires(const T& pointer) { *pointer; }
    {
        return *value_;
    }
    [[nodiscard]] constexpr const T& operator->() const noexcept { return value_; }

private:
    T value_;
};

template <class T>
inline constexpr bool is_untraced<untraced<T>> = true;

}  // namespace freehold

#pragma once
// Which aggregates heap.make builds from handles without a write barrier: those that only store them in traced_ptrs.

#include <cstddef>
#include <type_traits>
#include <utility>

#include "../traced_ptr.hpp"
#include "traced_handle.hpp"

namespace freehold::inline v0_2::detail {

template <class Argument>
concept handle_argument = std::is_base_of_v<traced_handle_tag, std::remove_cvref_t<Argument>>;

template <class>
struct not_a_handle {};

// The type of an argument, but Other<U> for a handle to a U that is to be replaced.
template <template <class> class Other, bool Replaced, class Argument>
struct handle_replaced {
    using type = Argument;
};
template <template <class> class Other, handle_argument Argument>
struct handle_replaced<Other, true, Argument> {
    using type = Other<typename std::remove_cvref_t<Argument>::element_type>;
};

// Whether T can't be made where the argument of that number alone is not_a_handle.
template <class T, std::size_t Number, class... Arguments>
consteval bool takes_handle() {
    return []<std::size_t... Indices>(std::index_sequence<Indices...>) {
        return !std::is_constructible_v<T,
                                        typename handle_replaced<not_a_handle, Indices == Number, Arguments>::type...>;
    }(std::index_sequence_for<Arguments...>());
}

// Whether T is an aggregate that stores the handles among the arguments in traced_ptrs, and in nothing else. Each is
// asked for alone: beside a traced_ptr there may be a member that takes anything, such as std::any.
template <class T, class... Arguments>
consteval bool only_stores_handles() {
    if constexpr (std::is_aggregate_v<T> && (handle_argument<Arguments> || ...)) {
        return []<std::size_t... Indices>(std::index_sequence<Indices...>) {
            return std::is_constructible_v<T, typename handle_replaced<first_target, true, Arguments>::type...> &&
                   ((!handle_argument<Arguments> || detail::takes_handle<T, Indices, Arguments...>()) && ...);
        }(std::index_sequence_for<Arguments...>());
    } else {
        return false;
    }
}

}  // namespace freehold::detail

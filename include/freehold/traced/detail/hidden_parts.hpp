#pragma once
// may_hide_words<T>: whether a T has words that may hold a pointer which `trace` does not follow, and
// hidden_pointers.hpp does not see. hidden_words.hpp looks at them.
//
// Numbers, and what is declared untraced, are not among these words, nor is padding: it is cleared in a copy. Where a
// compiler cannot do that, classes with padding are left out. So are 32-bit programs, whose numbers are too likely to
// resemble addresses.

#include <array>
#include <cstddef>
#include <type_traits>
#include <variant>

#include "../../core/config.hpp"
#include "../../tracing/hidden_pointers.hpp"
#include "../../tracing/trace.hpp"
#include "container_watch.hpp"

namespace freehold::inline v0_2::detail {

// An initializer of whatever does not declare a part untraced.
template <class... Seen>
struct followed_initializer;

// Whether a T is untraced, or a trivially copyable aggregate with an untraced part, which stands for all of them.
template <class T, class... Seen>
consteval bool opts_out(type_list<T, Seen...>) {
    if constexpr (is_untraced<T>) {
        return true;
    } else if constexpr (std::is_aggregate_v<T> && std::is_class_v<T> && !(std::is_same_v<T, Seen> || ...)) {
        return !detail::is_made_of<followed_initializer<T, Seen...>, T>();
    } else {
        return false;
    }
}

template <class... Seen>
struct followed_initializer {
    template <class T>
        requires(!detail::opts_out(type_list<T, Seen...>()))
    operator T() const noexcept {
        FREEHOLD_UNREACHABLE();
    }
};

template <class T>
inline constexpr bool is_inline_array = std::is_bounded_array_v<T> || is_std_array<T>;

// A trivially copyable T, for which there is no more to know.
template <class T>
consteval bool may_hide_in_bytes() {
    if constexpr (!std::is_class_v<T> && !std::is_union_v<T>) {
        return std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>;
    } else if constexpr (sizeof(T) < sizeof(void*) || alignof(T) < alignof(void*) || detail::opts_out(type_list<T>())) {
        return false;
    } else if constexpr (container_of_elements<T> && range_of_elements<T>) {
        return false;  // some of its bytes may not be in use
    } else {
#ifdef FREEHOLD_CLEAR_PADDING
        return true;
#else
        return std::has_unique_object_representations_v<T>;
#endif
    }
}

// Whether a T has words that may hold a pointer which `trace` does not follow.
template <class T, class... Seen>
consteval bool may_hide(type_list<T, Seen...>) {
    constexpr auto any = []<class... Parts>(type_list<Parts...>) {
        return (detail::may_hide(type_list<std::remove_cv_t<Parts>, T, Seen...>()) || ...);
    };
    if constexpr ((std::is_same_v<T, Seen> || ...) || is_traced_pointer<T> || is_untraced<T>) {
        return false;
    } else if constexpr (std::is_trivially_copyable_v<T>) {
        if constexpr (is_inline_array<T>) {
            return any(type_list<element_of<T>>());
        } else if constexpr (template_of<T> == standard_template::optional || is_instance<std::variant, T>) {
            return any(typename arguments_of<T>::types());
        } else {
            return detail::may_hide_in_bytes<T>();
        }
    } else {
        constexpr structure how = detail::structure_of<T, idle_visitor>();
        if constexpr (how == structure::member_function) {
            return true;
        } else if constexpr (how == structure::pointer || how == structure::leaf || how > structure::members) {
            return false;
        } else {
            return any(typename parts<T, how>::types());
        }
    }
}

template <class T>
inline constexpr bool may_hide_words =
    container_watch::is_on && sizeof(void*) == 8 && detail::may_hide(type_list<std::remove_cv_t<T>>());

}  // namespace freehold::detail

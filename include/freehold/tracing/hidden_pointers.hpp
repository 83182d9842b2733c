#pragma once
// hides_traced<T>: whether a T hides traced pointers from a collector that frees whatever it does not find, as a
// traced_heap does: behind owners that do not collect, raw pointers, reference wrappers, spans or views.
//
// A traced_heap asks it of each type that it makes, and of each member that a trace(visit) names. A counting collector
// need not ask: there a hidden pointer leaks, and nothing dangles.
//
// What a class without a trace, or an incomplete one, holds behind such a pointer is not known, and counts as nothing.
// Neither are the members of a closure, a union, or a trivially copyable class that is no aggregate; without NDEBUG, a
// traced_heap looks there for addresses of freed objects after a full collection.
//
// Cost: none at run time.

#include <cstddef>
#include <type_traits>

#include "../core/alignment.hpp"
#include "../core/complete_type.hpp"
#include "../core/config.hpp"
#include "trace.hpp"

namespace freehold::inline v0_2 {

namespace detail {

template <class T>
inline constexpr bool is_view = false;
template <class T>
inline constexpr bool is_view<traced_view<T>> = true;

// Whether an aggregate can be made from the initializers, each for every one that it takes.
template <class Initializer, class T>
consteval bool is_made_of() {
    constexpr std::size_t all = detail::count_initializers<T>();
    return all > max_initializers ||
           takes<T, detail::smaller(all, max_initializers), Initializer>;  // or too long to tell
}

template <class T, class... Seen>
consteval bool seems_to_lead(type_list<T, Seen...>);

// An initializer of whatever does not lead to traced pointers.
template <class... Seen>
struct leaf_initializer {
    template <class T>
        requires(!detail::seems_to_lead(type_list<T, Seen...>()))
    operator T() const noexcept {
        FREEHOLD_UNREACHABLE();
    }
};

template <class... Seen, class... Types>
consteval bool any_seems_to_lead(type_list<Seen...>, type_list<Types...>) {
    return (detail::seems_to_lead(type_list<std::remove_cv_t<Types>, Seen...>()) || ...);
}

template <class T>
struct arguments_of {
    using types = type_list<>;
};
template <template <class...> class Template, class... Types>
struct arguments_of<Template<Types...>> {
    using types = type_list<Types...>;
};

// Whether a T, which may be any type, leads to pointers that need their collector, as far as its structure tells. The
// types Seen are being asked already.
template <class T, class... Seen>
consteval bool seems_to_lead(type_list<T, Seen...>) {
    using seen = type_list<T, Seen...>;
    if constexpr (!std::is_object_v<T> || (std::is_same_v<T, Seen> || ...)) {
        return false;
    } else if constexpr (!is_complete<T>) {
        return false;
    } else if constexpr (is_traced_pointer<T>) {
        return needs_its_collector<T>;
    } else if constexpr (is_untraced<T> || std::is_pointer_v<T>) {
        return false;
    } else if constexpr (is_leaf_pointer<T>) {
        return detail::any_seems_to_lead(seen(), type_list<typename leaf_pointer<T>::to>());
    } else if constexpr (std::is_trivially_copyable_v<T>) {
        return false;
    } else if constexpr (traced_by_member<T>) {
        return true;
    } else if constexpr (std::is_array_v<T>) {
        return detail::any_seems_to_lead(seen(), type_list<std::remove_extent_t<T>>());
    } else if constexpr (is_instance<std::pair, T> || is_instance<std::tuple, T> ||
                         template_of<T> == standard_template::optional || is_instance<std::variant, T> ||
                         template_of<T> == standard_template::unique_ptr ||
                         template_of<T> == standard_template::adaptor) {
        return detail::any_seems_to_lead(seen(), typename arguments_of<T>::types());
    } else if constexpr (range_of_elements<T>) {
        return detail::any_seems_to_lead(seen(), type_list<element_of<T>>());
    } else if constexpr (std::is_aggregate_v<T> && !std::is_union_v<T>) {
        return !detail::is_made_of<leaf_initializer<T, Seen...>, T>();
    } else {
        return false;
    }
}

template <class T, class... Seen>
consteval auto find_hiding(type_list<T, Seen...>);

// An initializer of whatever hides nothing.
template <class... Seen>
struct open_initializer {
    template <class T>
        requires std::is_void_v<typename decltype(detail::find_hiding(type_list<T, Seen...>()))::type>
    operator T() const noexcept {
        FREEHOLD_UNREACHABLE();
    }
};

template <class... Seen>
consteval auto find_first_hiding(type_list<Seen...>, type_list<>) {
    return std::type_identity<void>();
}

template <class... Seen, class T, class... Rest>
consteval auto find_first_hiding(type_list<Seen...> seen, type_list<T, Rest...>) {
    using found = decltype(detail::find_hiding(type_list<std::remove_cv_t<T>, Seen...>()));
    if constexpr (std::is_void_v<typename found::type>) {
        return detail::find_first_hiding(seen, type_list<Rest...>());
    } else {
        return found();
    }
}

// Returns: the identity of the first type among T and its parts that hides pointers, or of void. A trivially copyable
// aggregate stands for its members.
template <class T, class... Seen>
consteval auto find_hiding(type_list<T, Seen...>) {
    using none = std::type_identity<void>;
    using seen = type_list<T, Seen...>;
    if constexpr ((std::is_same_v<T, Seen> || ...) || is_untraced<T> || is_traced_pointer<T>) {
        return none();
    } else if constexpr (is_view<T>) {
        return std::type_identity<T>();
    } else if constexpr (is_leaf_pointer<T>) {
        constexpr bool hides = detail::seems_to_lead(type_list<std::remove_cv_t<typename leaf_pointer<T>::to>>());
        return std::conditional_t<hides, std::type_identity<T>, none>();
    } else if constexpr (!std::is_trivially_copyable_v<T>) {
        constexpr structure how = detail::structure_of<T, idle_visitor>();
        if constexpr (how == structure::pointer || how == structure::member_function) {
            return none();
        } else {
            return detail::find_first_hiding(seen(), typename parts<T, how>::types());
        }
    } else if constexpr (std::is_bounded_array_v<T> || is_std_array<T>) {
        return detail::find_first_hiding(seen(), type_list<element_of<T>>());
    } else if constexpr (is_instance<std::pair, T> || is_instance<std::tuple, T> ||
                         template_of<T> == standard_template::optional || is_instance<std::variant, T>) {
        return detail::find_first_hiding(seen(), typename arguments_of<T>::types());
    } else if constexpr (std::is_aggregate_v<T> && !std::is_union_v<T>) {
        return std::conditional_t<detail::is_made_of<open_initializer<T, Seen...>, T>(), none, std::type_identity<T>>();
    } else {
        return none();
    }
}

// Says why a T must not be in an object of a traced_heap; nothing of void.
template <class T>
struct hides_nothing {
    static constexpr bool value = true;

    static_assert(!is_view<T>,
                  "freehold: a traced_view in an object of a traced_heap keeps nothing alive; hold a traced_ptr, or an "
                  "untraced<traced_view<T>> if something else keeps the object alive");
    static_assert(is_view<T> || (!std::is_pointer_v<T> && !(std::is_class_v<T> && !is_leaf_pointer<T>)),
                  "freehold: a raw pointer in an object of a traced_heap keeps nothing alive, and this one leads to "
                  "traced_ptrs; hold a traced_ptr, or an untraced<T*> if something else keeps the object alive");
    static_assert(is_view<T> || !is_leaf_pointer<T> || std::is_pointer_v<T>,
                  "freehold: a traced_heap does not look through this pointer, and would free what the traced_ptrs "
                  "behind it point to; hold a traced_ptr, a unique_ptr or the object itself, or an untraced<P> if "
                  "nothing behind it is in the heap");
};

// Whether T and its parts hide no pointers. It does not compile if they do.
template <class T>
inline constexpr bool is_open =
    hides_nothing<typename decltype(detail::find_hiding(type_list<std::remove_cv_t<T>>()))::type>::value;

}  // namespace detail

// Requires: T and the types of all its parts are complete.
template <class T>
inline constexpr bool hides_traced =
    !std::is_void_v<typename decltype(detail::find_hiding(detail::type_list<std::remove_cv_t<T>>()))::type>;

}  // namespace freehold

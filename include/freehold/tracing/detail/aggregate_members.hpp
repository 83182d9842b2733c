#pragma once
// The members of an aggregate, found without its help: counted by how many initializers it takes, and named by a
// structured binding. The idea is that of Boost.PFR.
//
// An array takes an initializer for each of its elements but is one member. Empty braces initialize all of it. Empty
// bases take the first initializers and are no members.

#include <cstddef>
#include <type_traits>
#include <utility>

#include "../../core/config.hpp"
#include "member_bindings.hpp"
#include "reflected_members.hpp"

namespace freehold::inline v0_2::detail {

template <class... Types>
struct type_list {};

// Beyond, an aggregate needs a `trace` member.
inline constexpr std::size_t max_members = 128;
inline constexpr std::size_t max_initializers = 256;  // each element of an array is one

// An initializer of any type. It is never evaluated.
struct any_initializer {
    template <class T>
    operator T() const noexcept {
        FREEHOLD_UNREACHABLE();  // defined, as compilers warn where T has no linkage
    }
};

template <class Base, class Derived>
concept base_of = std::is_base_of_v<Base, Derived> && !std::is_same_v<Base, Derived>;

// An initializer of any base class of Derived, or any empty one. It can't be copied, or a std::any could be made from
// it.
template <class Derived, bool only_empty>
struct base_initializer {
    base_initializer() = default;
    base_initializer(const base_initializer&) = delete;

    template <class Base>
        requires(base_of<Base, Derived> && (std::is_empty_v<Base> || !only_empty))
    operator Base() const noexcept {
        FREEHOLD_UNREACHABLE();
    }
};

template <std::size_t, class Initializer = any_initializer>
using initializer = Initializer;

template <class T, std::size_t... Before, std::size_t... Behind>
consteval bool takes_empty(std::index_sequence<Before...>, std::index_sequence<Behind...>) {
    return requires { T{initializer<Before>()..., {}, initializer<Behind>()...}; };
}

// Whether T can be initialized from Before initializers, empty braces, and Behind initializers.
template <class T, std::size_t Before, std::size_t Behind>
inline constexpr bool takes_braces =
    detail::takes_empty<T>(std::make_index_sequence<Before>(), std::make_index_sequence<Behind>());

template <class T, class Initializer, std::size_t... Indices>
consteval bool takes_each(std::index_sequence<Indices...>) {
    return requires { T{initializer<Indices, Initializer>()...}; };
}

// Whether T can be initialized from Count initializers.
template <class T, std::size_t Count, class Initializer = any_initializer>
inline constexpr bool takes = detail::takes_each<T, Initializer>(std::make_index_sequence<Count>());

// Returns: the number of bases of T, if all are empty and have no bases; otherwise some other number.
template <class T, std::size_t Known = 0>
consteval std::size_t count_empty_bases() {
    if constexpr (takes<T, Known + 1, base_initializer<T, true>>) {
        return detail::count_empty_bases<T, Known + 1>();
    } else {
        return Known;
    }
}

template <class T>
inline constexpr bool has_full_base = takes<T, detail::count_empty_bases<T>() + 1, base_initializer<T, false>>;

// Returns: the fewest initializers that T takes, but at least one; more than max_members if there is no such number. A
// member without a default needs one, and so do all before it.
template <class T, std::size_t Count = 1>
consteval std::size_t fewest_initializers() {
    if constexpr (Count > max_members || takes<T, Count>) {
        return Count;
    } else {
        return detail::fewest_initializers<T, Count + 1>();
    }
}

// Returns: the maximum number of initializers that T takes, or some number above max_initializers.
// Requires: T takes Taken, but not Refused.
template <class T, std::size_t Taken, std::size_t Refused>
consteval std::size_t most_initializers_between() {
    if constexpr (Refused - Taken == 1) {
        return Taken;
    } else {
        constexpr std::size_t middle = Taken + (Refused - Taken) / 2;
        if constexpr (takes<T, middle>) {
            return detail::most_initializers_between<T, middle, Refused>();
        } else {
            return detail::most_initializers_between<T, Taken, middle>();
        }
    }
}

template <class T, std::size_t Taken, std::size_t Step = 1>
consteval std::size_t most_initializers_from() {
    if constexpr (Taken > max_initializers) {
        return Taken;
    } else if constexpr (takes<T, Taken + Step>) {
        return detail::most_initializers_from<T, Taken + Step, 2 * Step>();
    } else {
        return detail::most_initializers_between<T, Taken, Taken + Step>();
    }
}

// Returns: the maximum number of initializers that T takes, or some number above max_initializers; 0 if T takes none.
template <class T>
consteval std::size_t count_initializers() {
    constexpr std::size_t fewest = detail::fewest_initializers<T>();
    if constexpr (fewest > max_members) {
        return 0;
    } else {
        return detail::most_initializers_from<T, fewest>();
    }
}

// Returns: how many of All initializers the member after the first Before takes: 1, or the length of an array, for
// which empty braces stand. An array whose elements have no default is not recognized, and does not compile.
template <class T, std::size_t All, std::size_t Before>
consteval std::size_t initializers_of_member() {
    constexpr std::size_t rest = All - Before;
    if constexpr (takes_braces<T, Before, rest - 1>) {
        return 1;
    } else {
        std::size_t most_behind = rest - 1;  // where the member has no default
        [&]<std::size_t... Indices>(std::index_sequence<Indices...>) {
            ((takes_braces<T, Before, Indices> ? void(most_behind = Indices) : void()), ...);
        }(std::make_index_sequence<rest>());
        return rest - most_behind;
    }
}

template <class T, std::size_t All, std::size_t Before = 0>
consteval std::size_t count_members() {
    if constexpr (Before >= All) {
        return 0;
    } else {
        return 1 + detail::count_members<T, All, Before + detail::initializers_of_member<T, All, Before>()>();
    }
}

// The number of members of T, or some number above max_members. Requires: T is an aggregate whose bases are empty.
template <class T>
consteval std::size_t count_members_of() {
    constexpr std::size_t all = detail::count_initializers<T>();
    if constexpr (all <= max_initializers) {
        return detail::count_members<T, all, detail::count_empty_bases<T>()>();
    } else {
        return all;
    }
}

template <class T>
inline constexpr std::size_t member_count = detail::count_members_of<T>();

// Returns: use(members of the object...). Requires: there are at most max_members.
template <class T, class Use>
constexpr decltype(auto) with_members([[maybe_unused]] const T& object, Use use) {
    constexpr std::size_t count = member_count<T>;
    if constexpr (count == 0) {
        return use();
    } else {
        return member_bindings<count>::pass(object, use);
    }
}

// Why the members of an aggregate can't be found.
enum class aggregate_flaw { none, base, uncountable, long_array, too_many_members };

template <class T>
consteval aggregate_flaw flaw_of_aggregate() {
#if !FREEHOLD_REFLECTION
    if constexpr (has_full_base<T>) {
        return aggregate_flaw::base;
    } else if constexpr (constexpr std::size_t all = detail::count_initializers<T>(); all == 0) {
        return std::is_empty_v<T> ? aggregate_flaw::none : aggregate_flaw::uncountable;
    } else if constexpr (all > max_initializers) {
        return aggregate_flaw::long_array;
    } else if constexpr (member_count<T> > max_members) {
        return aggregate_flaw::too_many_members;
    }
#endif
    return aggregate_flaw::none;
}

#if !FREEHOLD_REFLECTION

template <class T>
consteval auto list_member_types() {
    return decltype(detail::with_members(std::declval<const T&>(), [](const auto&... member) {
        return type_list<std::remove_cvref_t<decltype(member)>...>();
    }))();
}

// Requires: flaw_of_aggregate<T>() is none.
template <class T>
using member_types = decltype(detail::list_member_types<T>());

// Effects: use(member) for each member of the object.
template <class T, class Use>
void each_member(const T& object, Use& use) {
    detail::with_members(object, [&use](const auto&... member) { (use(member), ...); });
}

#endif

}  // namespace freehold::detail

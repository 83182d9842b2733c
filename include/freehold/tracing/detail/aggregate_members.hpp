#pragma once
// The members of an aggregate, found without its help: counted by how many initializers it takes, and named by a
// structured binding. The technique is that of Boost.PFR.
//
// An array takes an initializer for each of its elements but is one member. Empty braces initialize all of it.

#include <cstddef>
#include <type_traits>
#include <utility>

namespace freehold::detail {

// Beyond, an aggregate needs a `trace` member.
inline constexpr std::size_t max_members = 24;
inline constexpr std::size_t max_initializers = 256;  // each element of an array is one

// An initializer of any type. It is never evaluated.
struct any_initializer {
    template <class T>
    operator T() const noexcept {
        __builtin_unreachable();  // defined, as compilers warn where T has no linkage
    }
};

// An initializer of any base class of Derived.
template <class Derived>
struct any_base_initializer {
    template <class Base>
        requires(std::is_base_of_v<Base, Derived> && !std::is_same_v<Base, Derived>)
    operator Base() const noexcept {
        __builtin_unreachable();
    }
};

template <std::size_t>
using initializer = any_initializer;

template <class T, std::size_t... Before, std::size_t... Behind>
consteval bool takes_empty(std::index_sequence<Before...>, std::index_sequence<Behind...>) {
    return requires { T{initializer<Before>()..., {}, initializer<Behind>()...}; };
}

// Whether T can be initialized from Before initializers, empty braces, and Behind initializers.
template <class T, std::size_t Before, std::size_t Behind>
inline constexpr bool takes_braces =
    detail::takes_empty<T>(std::make_index_sequence<Before>(), std::make_index_sequence<Behind>());

template <class T, std::size_t... I>
consteval bool takes_flat(std::index_sequence<I...>) {
    return requires { T{initializer<I>()...}; };
}

template <class T>
inline constexpr bool has_base = requires { T{any_base_initializer<T>()}; };

// Returns: the maximum number of initializers that T takes, or some number above max_initializers. A member without a
// default makes a gap, so it tries as many numbers as there may be members before it gives up.
template <class T, std::size_t Known = 0>
consteval std::size_t count_initializers() {
    std::size_t most = Known;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((detail::takes_flat<T>(std::make_index_sequence<Known + I + 1>()) ? void(most = Known + I + 1) : void()), ...);
    }(std::make_index_sequence<max_members>());
    constexpr std::size_t last = Known + max_members;
    if constexpr (last <= max_initializers && detail::takes_flat<T>(std::make_index_sequence<last>())) {
        return detail::count_initializers<T, last>();
    } else {
        return most;
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
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((takes_braces<T, Before, I> ? void(most_behind = I) : void()), ...);
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

template <class T>
consteval std::size_t count_members_of() {
    constexpr std::size_t all = detail::count_initializers<T>();
    static_assert(all > 0 || std::is_empty_v<T>,
                  "freehold: an aggregate whose first member can be made from anything needs a member function "
                  "trace(visit)");
    static_assert(all <= max_initializers,
                  "freehold: an aggregate with so long an array needs a member function trace(visit)");
    if constexpr (all <= max_initializers) {
        return detail::count_members<T, all>();
    } else {
        return 0;
    }
}

// The number of members of T. Requires: T is an aggregate with no base.
template <class T>
inline constexpr std::size_t member_count = detail::count_members_of<T>();

// Returns: use(members of the object...). Requires: there are at most max_members.
template <class T, class Use>
constexpr decltype(auto) with_members([[maybe_unused]] const T& object, Use use) {
    constexpr std::size_t count = member_count<T>;
    static_assert(count <= max_members,
                  "freehold: an aggregate of more than 24 members needs a member function trace(visit)");
    if constexpr (count == 0) return use();
    if constexpr (count == 1) {
        const auto& [m1] = object;
        return use(m1);
    } else if constexpr (count == 2) {
        const auto& [m1, m2] = object;
        return use(m1, m2);
    } else if constexpr (count == 3) {
        const auto& [m1, m2, m3] = object;
        return use(m1, m2, m3);
    } else if constexpr (count == 4) {
        const auto& [m1, m2, m3, m4] = object;
        return use(m1, m2, m3, m4);
    } else if constexpr (count == 5) {
        const auto& [m1, m2, m3, m4, m5] = object;
        return use(m1, m2, m3, m4, m5);
    } else if constexpr (count == 6) {
        const auto& [m1, m2, m3, m4, m5, m6] = object;
        return use(m1, m2, m3, m4, m5, m6);
    } else if constexpr (count == 7) {
        const auto& [m1, m2, m3, m4, m5, m6, m7] = object;
        return use(m1, m2, m3, m4, m5, m6, m7);
    } else if constexpr (count == 8) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8);
    } else if constexpr (count == 9) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9);
    } else if constexpr (count == 10) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10);
    } else if constexpr (count == 11) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11);
    } else if constexpr (count == 12) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12);
    } else if constexpr (count == 13) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13);
    } else if constexpr (count == 14) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14);
    } else if constexpr (count == 15) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15);
    } else if constexpr (count == 16) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16);
    } else if constexpr (count == 17) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17);
    } else if constexpr (count == 18) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18);
    } else if constexpr (count == 19) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19);
    } else if constexpr (count == 20) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20] =
            object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20);
    } else if constexpr (count == 21) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21] =
            object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21);
    } else if constexpr (count == 22) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
                     m22] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22);
    } else if constexpr (count == 23) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
                     m22, m23] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
                   m23);
    } else if constexpr (count == 24) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
                     m22, m23, m24] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
                   m23, m24);
    }
}

}  // namespace freehold::detail

#pragma once
// member_bindings<N>::pass(object, use) calls use(members of the object...) for an object of N members.
//
// Where a structured binding may be a pack, that is all. Elsewhere each N needs its own, up to 24 here; those beyond
// are in large_aggregates.hpp, as they take as long to compile as all of the rest of trace.hpp.

#include <cstddef>

namespace freehold::detail {

#if defined(__cpp_structured_bindings) && __cpp_structured_bindings >= 202411L

template <std::size_t N>
struct member_bindings {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [... m] = object;
        return use(m...);
    }
};

#else

template <std::size_t N>
struct member_bindings {
    static_assert(N == 0,
                  "freehold: an aggregate of more than 24 members needs #include "
                  "<freehold/tracing/large_aggregates.hpp>, or a member function trace(visit)");

    template <class T, class Use>
    static constexpr decltype(auto) pass(const T&, Use use) {
        return use();
    }
};

template <>
struct member_bindings<1> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1] = object;
        return use(m1);
    }
};

template <>
struct member_bindings<2> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2] = object;
        return use(m1, m2);
    }
};

template <>
struct member_bindings<3> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3] = object;
        return use(m1, m2, m3);
    }
};

template <>
struct member_bindings<4> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4] = object;
        return use(m1, m2, m3, m4);
    }
};

template <>
struct member_bindings<5> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5] = object;
        return use(m1, m2, m3, m4, m5);
    }
};

template <>
struct member_bindings<6> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6] = object;
        return use(m1, m2, m3, m4, m5, m6);
    }
};

template <>
struct member_bindings<7> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7] = object;
        return use(m1, m2, m3, m4, m5, m6, m7);
    }
};

template <>
struct member_bindings<8> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8);
    }
};

template <>
struct member_bindings<9> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9);
    }
};

template <>
struct member_bindings<10> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10);
    }
};

template <>
struct member_bindings<11> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11);
    }
};

template <>
struct member_bindings<12> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12);
    }
};

template <>
struct member_bindings<13> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13);
    }
};

template <>
struct member_bindings<14> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14);
    }
};

template <>
struct member_bindings<15> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15);
    }
};

template <>
struct member_bindings<16> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16);
    }
};

template <>
struct member_bindings<17> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17);
    }
};

template <>
struct member_bindings<18> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18);
    }
};

template <>
struct member_bindings<19> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19);
    }
};

template <>
struct member_bindings<20> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20] =
            object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20);
    }
};

template <>
struct member_bindings<21> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21] =
            object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21);
    }
};

template <>
struct member_bindings<22> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
                     m22] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22);
    }
};

template <>
struct member_bindings<23> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
                     m22, m23] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
                   m23);
    }
};

template <>
struct member_bindings<24> {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
                     m22, m23, m24] = object;
        return use(m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22,
                   m23, m24);
    }
};

#endif

}  // namespace freehold::detail

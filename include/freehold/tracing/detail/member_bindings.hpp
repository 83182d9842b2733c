// member_bindings<N>::pass(object, use) calls use(members of the object...) for an object of N members.
//
// Where a structured binding may be a pack, that is all. Elsewhere each N needs its own. Up to 24 they come at once.
// The rest, up to 128, takes as long to compile as all else of trace.hpp, so large_aggregates.hpp asks for it: it
// includes this header with FREEHOLD_LARGE_AGGREGATES defined, maybe for the second time. Hence there is no #pragma
// once.

#include <cstddef>

#if defined(__cpp_structured_bindings) && __cpp_structured_bindings >= 202411L

#ifndef FREEHOLD_MEMBERS_BOUND
#define FREEHOLD_MEMBERS_BOUND 128

namespace freehold::inline v0_2::detail {

template <std::size_t N>
struct member_bindings {
    template <class T, class Use>
    static constexpr decltype(auto) pass(const T& object, Use use) {
        const auto& [... m] = object;
        return use(m...);
    }
};

}  // namespace freehold::detail

#endif

#else

// The first members of a row of eight.
#define FREEHOLD_MEMBERS_1(row) row##0
#define FREEHOLD_MEMBERS_2(row) row##0, row##1
#define FREEHOLD_MEMBERS_3(row) row##0, row##1, row##2
#define FREEHOLD_MEMBERS_4(row) row##0, row##1, row##2, row##3
#define FREEHOLD_MEMBERS_5(row) row##0, row##1, row##2, row##3, row##4
#define FREEHOLD_MEMBERS_6(row) row##0, row##1, row##2, row##3, row##4, row##5
#define FREEHOLD_MEMBERS_7(row) row##0, row##1, row##2, row##3, row##4, row##5, row##6
#define FREEHOLD_MEMBERS_8(row) row##0, row##1, row##2, row##3, row##4, row##5, row##6, row##7

// All members of the first rows, with a comma behind each.
#define FREEHOLD_ROWS_0
#define FREEHOLD_ROWS_1 m0_0, m0_1, m0_2, m0_3, m0_4, m0_5, m0_6, m0_7,
#define FREEHOLD_ROWS_2 FREEHOLD_ROWS_1 m1_0, m1_1, m1_2, m1_3, m1_4, m1_5, m1_6, m1_7,
#define FREEHOLD_ROWS_3 FREEHOLD_ROWS_2 m2_0, m2_1, m2_2, m2_3, m2_4, m2_5, m2_6, m2_7,
#define FREEHOLD_ROWS_4 FREEHOLD_ROWS_3 m3_0, m3_1, m3_2, m3_3, m3_4, m3_5, m3_6, m3_7,
#define FREEHOLD_ROWS_5 FREEHOLD_ROWS_4 m4_0, m4_1, m4_2, m4_3, m4_4, m4_5, m4_6, m4_7,
#define FREEHOLD_ROWS_6 FREEHOLD_ROWS_5 m5_0, m5_1, m5_2, m5_3, m5_4, m5_5, m5_6, m5_7,
#define FREEHOLD_ROWS_7 FREEHOLD_ROWS_6 m6_0, m6_1, m6_2, m6_3, m6_4, m6_5, m6_6, m6_7,
#define FREEHOLD_ROWS_8 FREEHOLD_ROWS_7 m7_0, m7_1, m7_2, m7_3, m7_4, m7_5, m7_6, m7_7,
#define FREEHOLD_ROWS_9 FREEHOLD_ROWS_8 m8_0, m8_1, m8_2, m8_3, m8_4, m8_5, m8_6, m8_7,
#define FREEHOLD_ROWS_10 FREEHOLD_ROWS_9 m9_0, m9_1, m9_2, m9_3, m9_4, m9_5, m9_6, m9_7,
#define FREEHOLD_ROWS_11 FREEHOLD_ROWS_10 m10_0, m10_1, m10_2, m10_3, m10_4, m10_5, m10_6, m10_7,
#define FREEHOLD_ROWS_12 FREEHOLD_ROWS_11 m11_0, m11_1, m11_2, m11_3, m11_4, m11_5, m11_6, m11_7,
#define FREEHOLD_ROWS_13 FREEHOLD_ROWS_12 m12_0, m12_1, m12_2, m12_3, m12_4, m12_5, m12_6, m12_7,
#define FREEHOLD_ROWS_14 FREEHOLD_ROWS_13 m13_0, m13_1, m13_2, m13_3, m13_4, m13_5, m13_6, m13_7,
#define FREEHOLD_ROWS_15 FREEHOLD_ROWS_14 m14_0, m14_1, m14_2, m14_3, m14_4, m14_5, m14_6, m14_7,

// For an object of as many full rows, and `count` members in the next one.
#define FREEHOLD_BIND(rows, count)                                                            \
    template <>                                                                               \
    struct member_bindings<8 * (rows) + (count)> {                                            \
        template <class T, class Use>                                                         \
        static constexpr decltype(auto) pass(const T& object, Use use) {                      \
            const auto& [FREEHOLD_ROWS_##rows FREEHOLD_MEMBERS_##count(m##rows##_)] = object; \
            return use(FREEHOLD_ROWS_##rows FREEHOLD_MEMBERS_##count(m##rows##_));            \
        }                                                                                     \
    };

#define FREEHOLD_BIND_ROW(rows) \
    FREEHOLD_BIND(rows, 1)      \
    FREEHOLD_BIND(rows, 2)      \
    FREEHOLD_BIND(rows, 3)      \
    FREEHOLD_BIND(rows, 4)      \
    FREEHOLD_BIND(rows, 5)      \
    FREEHOLD_BIND(rows, 6)      \
    FREEHOLD_BIND(rows, 7)      \
    FREEHOLD_BIND(rows, 8)

namespace freehold::inline v0_2::detail {

#ifndef FREEHOLD_MEMBERS_BOUND
#define FREEHOLD_MEMBERS_BOUND 24

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

FREEHOLD_BIND_ROW(0)
FREEHOLD_BIND_ROW(1)
FREEHOLD_BIND_ROW(2)

#endif

#if defined(FREEHOLD_LARGE_AGGREGATES) && FREEHOLD_MEMBERS_BOUND < 128
#undef FREEHOLD_MEMBERS_BOUND
#define FREEHOLD_MEMBERS_BOUND 128

FREEHOLD_BIND_ROW(3)
FREEHOLD_BIND_ROW(4)
FREEHOLD_BIND_ROW(5)
FREEHOLD_BIND_ROW(6)
FREEHOLD_BIND_ROW(7)
FREEHOLD_BIND_ROW(8)
FREEHOLD_BIND_ROW(9)
FREEHOLD_BIND_ROW(10)
FREEHOLD_BIND_ROW(11)
FREEHOLD_BIND_ROW(12)
FREEHOLD_BIND_ROW(13)
FREEHOLD_BIND_ROW(14)
FREEHOLD_BIND_ROW(15)

#endif

}  // namespace freehold::detail

#undef FREEHOLD_MEMBERS_1
#undef FREEHOLD_MEMBERS_2
#undef FREEHOLD_MEMBERS_3
#undef FREEHOLD_MEMBERS_4
#undef FREEHOLD_MEMBERS_5
#undef FREEHOLD_MEMBERS_6
#undef FREEHOLD_MEMBERS_7
#undef FREEHOLD_MEMBERS_8
#undef FREEHOLD_ROWS_0
#undef FREEHOLD_ROWS_1
#undef FREEHOLD_ROWS_2
#undef FREEHOLD_ROWS_3
#undef FREEHOLD_ROWS_4
#undef FREEHOLD_ROWS_5
#undef FREEHOLD_ROWS_6
#undef FREEHOLD_ROWS_7
#undef FREEHOLD_ROWS_8
#undef FREEHOLD_ROWS_9
#undef FREEHOLD_ROWS_10
#undef FREEHOLD_ROWS_11
#undef FREEHOLD_ROWS_12
#undef FREEHOLD_ROWS_13
#undef FREEHOLD_ROWS_14
#undef FREEHOLD_ROWS_15
#undef FREEHOLD_BIND
#undef FREEHOLD_BIND_ROW

#endif

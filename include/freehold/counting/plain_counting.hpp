#pragma once
// plain_counting: counts with ordinary instructions.
//
// Thread safety: all owners of one object must be in one thread at a time. Exceptions: none. Complexity: constant.
// Cost: an increase or a decrease is one instruction on memory; no locked operation.

#include "../core/config.hpp"
#include "../core/type_name.hpp"
#include "counting_policy.hpp"

namespace freehold::inline v0_2 {

struct plain_counting {
    static constexpr bool concurrent = false;

    template <class Rare>
    FREEHOLD_ALWAYS_INLINE static void increase(count_word& word, count_word n, Rare rare) noexcept {
        if ((word = detail::wrapping_add(word, n)) < 0) [[unlikely]]
            rare();
    }

    template <class Rare>
    FREEHOLD_ALWAYS_INLINE static void decrease(count_word& word, count_word n, Rare rare) noexcept {
        if ((word = detail::wrapping_subtract(word, n)) < 0) [[unlikely]]
            rare();
    }

    static bool decrease_to(count_word& word, count_word n, count_word end) noexcept {
        return (word = detail::wrapping_subtract(word, n)) == end;
    }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static count_word observe(const count_word& word) noexcept { return word; }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static count_word fetch_add(count_word& word, count_word seen,
                                                                     count_word n) noexcept {
        word = detail::wrapping_add(seen, n);
        return seen;
    }

    static bool replace(count_word& word, count_word& seen, count_word value) noexcept {
        if (word != seen) {
            seen = word;
            return false;
        }
        word = value;
        return true;
    }

    static void store(count_word& word, count_word value) noexcept { word = value; }
};

static_assert(counting_policy<plain_counting>);

template <>
inline constexpr detail::literal detail::counting_prefix<plain_counting>{"local_"};

}  // namespace freehold

#pragma once
// What a counting policy is: how one 64-bit word is read and changed.
//
// reference_count and shared_count are written once over these operations; a policy decides only whether they are
// plain or atomic. A policy that needs more than one word specializes the two counts instead.

#include <concepts>
#include <cstdint>

#include "../core/config.hpp"

namespace freehold::inline v0_2 {

// The word that every count lives in. Signed: the rare cases (the last owner left, the count is full) are those where
// it becomes negative, which the processor's sign flag shows without a comparison.
using count_word = std::int64_t;

namespace detail {

// Returns word + n and word - n modulo 2^64: a count that is full wraps into its sign, not into undefined behavior.
[[nodiscard]] FREEHOLD_ALWAYS_INLINE constexpr count_word wrapping_add(count_word word, count_word n) noexcept {
    return static_cast<count_word>(static_cast<std::uint64_t>(word) + static_cast<std::uint64_t>(n));
}

[[nodiscard]] FREEHOLD_ALWAYS_INLINE constexpr count_word wrapping_subtract(count_word word, count_word n) noexcept {
    return static_cast<count_word>(static_cast<std::uint64_t>(word) - static_cast<std::uint64_t>(n));
}

}  // namespace detail

// Semantics of the operations, for `count_word& word` and `count_word n`:
//   increase(word, n, rare)     adds n, and calls rare() if the result is negative; orders nothing
//   decrease(word, n, rare)     subtracts n, and calls rare() if the result is negative (release and acquire)
//   decrease_to(word, n, end)   subtracts n, returns whether the result is `end` (release and acquire)
//   observe(word)               returns the value (acquire)
//   fetch_add(word, seen, n)    adds n, returns the value before (acquire). Requires: this thread observed `seen`, and
//                               has not changed the word since
//   replace(word, seen, value)  stores value if the word is `seen` (release and acquire), else updates `seen`; may fail
//                               spuriously
//   store(word, value)          stores the value; orders nothing
// What is done before a decrease or replace happens before what follows one of them, a fetch_add or an observe that
// reads its result, also where increases came between. The tests are part of the operations, because only there a
// compiler uses the flags of the one instruction: a result that two branches return is stored and tested again (four
// instructions more in a copy, g++ 12 -O2). `concurrent` says whether owners in several threads may call them at once.
template <class Policy>
concept counting_policy = requires(count_word& word, count_word n, void (&rare)() noexcept) {
    { Policy::increase(word, n, rare) } noexcept;
    { Policy::decrease(word, n, rare) } noexcept;
    { Policy::decrease_to(word, n, n) } noexcept -> std::same_as<bool>;
    { Policy::observe(word) } noexcept -> std::same_as<count_word>;
    { Policy::fetch_add(word, n, n) } noexcept -> std::same_as<count_word>;
    { Policy::replace(word, n, n) } noexcept -> std::same_as<bool>;
    { Policy::store(word, n) } noexcept;
    { Policy::concurrent } -> std::convertible_to<bool>;
};

}  // namespace freehold

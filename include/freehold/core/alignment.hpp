#pragma once
// Arithmetic on sizes and alignments, in bytes.

#include <bit>
#include <cstddef>

#include "assert.hpp"

namespace freehold::inline v0_2::detail {

// What any memory resource gives without cost.
inline constexpr std::size_t usual_alignment = alignof(std::max_align_t);

// Returns the least multiple of `alignment` that is not less than `bytes`.
// Requires: `alignment` is a power of two, and the result is representable.
[[nodiscard]] constexpr std::size_t round_up(std::size_t bytes, std::size_t alignment) noexcept {
    FREEHOLD_EXPECTS(std::has_single_bit(alignment), "the alignment is not a power of two");
    return (bytes + alignment - 1) & ~(alignment - 1);
}

// std::min, std::max and std::clamp of sizes, by names that windows.h does not define as macros. They are here because
// <algorithm> takes a sixth of the time in which <memory> compiles, and every file with a pointer would include it.

[[nodiscard]] constexpr std::size_t smaller(std::size_t a, std::size_t b) noexcept { return b < a ? b : a; }

[[nodiscard]] constexpr std::size_t larger(std::size_t a, std::size_t b) noexcept { return a < b ? b : a; }

[[nodiscard]] constexpr std::size_t clamp(std::size_t bytes, std::size_t low, std::size_t high) noexcept {
    return bytes < low ? low : (high < bytes ? high : bytes);
}

}  // namespace freehold::detail

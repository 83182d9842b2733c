#pragma once
// Arithmetic on sizes and alignments, in bytes.

#include <bit>
#include <cstddef>

#include "assert.hpp"

namespace freehold::detail {

// Returns the least multiple of `alignment` that is not less than `bytes`.
// Requires: `alignment` is a power of two, and the result is representable.
[[nodiscard]] constexpr std::size_t round_up(std::size_t bytes, std::size_t alignment) noexcept {
    FREEHOLD_EXPECTS(std::has_single_bit(alignment), "the alignment is not a power of two");
    return (bytes + alignment - 1) & ~(alignment - 1);
}

}  // namespace freehold::detail

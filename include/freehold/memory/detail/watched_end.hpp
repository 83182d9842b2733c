#pragma once
// How a block that is a request of its own to an upstream gets an end that tools see.
//
// Under AddressSanitizer and memcheck more is asked of the upstream than the block has, and the rest is marked as free:
// the first byte past the block is reported even if the upstream's memory goes on behind it. Elsewhere the upstream is
// asked for the block as it is, so that a power of two stays one.

#include <cstddef>
#include <limits>

#include "../../core/alignment.hpp"
#include "../../core/annotate.hpp"
#include "../../core/memcheck.hpp"

namespace freehold::detail {

// The alignment that a chunk or block is asked for with at least, which costs nothing in any upstream.
inline constexpr std::size_t chunk_alignment = alignof(std::max_align_t);

[[nodiscard]] inline bool are_ends_watched() noexcept {
#ifdef FREEHOLD_ADDRESS_SANITIZER
    return true;
#else
    return is_memcheck();
#endif
}

// Returns: what to ask an upstream for, for a block of `bytes` bytes. An unrepresentable size stays one.
[[nodiscard]] inline std::size_t bytes_with_end(std::size_t bytes) noexcept {
    bytes = detail::larger(bytes, std::size_t{1});
    constexpr std::size_t most = (std::numeric_limits<std::size_t>::max)() - chunk_alignment;
    return are_ends_watched() && bytes < most ? round_up(bytes + 1, chunk_alignment) : bytes;
}

// Effects: marks the block as allocated, and what was asked for beyond it as free.
inline void watch_end(void* block, std::size_t bytes) noexcept {
    if (!are_ends_watched()) return;
    tell_allocated(block, bytes);
    tell_free(static_cast<std::byte*>(block) + bytes, bytes_with_end(bytes) - bytes);
}

// Effects: marks all of it as allocated, as the upstream gave it.
inline void unwatch_end(void* block, std::size_t bytes) noexcept {
    if (are_ends_watched()) tell_allocated(block, bytes_with_end(bytes));
}

}  // namespace freehold::detail

#pragma once
// The arithmetic of memory that is aligned to its size and cut into blocks of one size: which memory an address is in,
// where the blocks begin, how many there are, and which of them holds an address.

#include <cstddef>
#include <cstdint>

#include "alignment.hpp"

namespace freehold::inline v0_2::detail {

// The size and the alignment of a slab, which has blocks of one size behind a header.
inline constexpr std::size_t slab_bytes = std::size_t{64} * 1024;

// Returns: what the memory that holds the address begins with.
// Requires: the memory is aligned to `bytes`, a power of two, and the address is in the first `bytes` of it.
template <class Header>
[[nodiscard]] Header* header_of(const void* address, std::size_t bytes) noexcept {
    return reinterpret_cast<Header*>(reinterpret_cast<std::uintptr_t>(address) & ~(bytes - 1));
}

// Returns: the alignment that all blocks of the size have if the first one has it: the largest power of two that
// divides the size.
[[nodiscard]] constexpr std::size_t alignment_of_blocks(std::size_t block_bytes) noexcept {
    return block_bytes & (0 - block_bytes);
}

struct block_layout {
    std::size_t first;  // the offset of the first block
    std::size_t count;
};

// Returns: the layout of a slab with blocks of the size, aligned as above, behind a header.
[[nodiscard]] constexpr block_layout layout_of_slab(std::size_t header_bytes, std::size_t block_bytes) noexcept {
    const std::size_t first = round_up(header_bytes, alignment_of_blocks(block_bytes));
    return {first, (slab_bytes - first) / block_bytes};
}

// A division of many offsets by one size is a multiplication by its reciprocal, in units of 2^-32 and rounded up.

[[nodiscard]] constexpr std::uint64_t reciprocal_of(std::size_t block_bytes) noexcept {
    return (std::uint64_t{1} << 32) / block_bytes + 1;
}

// Returns: offset / block_bytes, rounded down; 0 for the reciprocal 0.
// Requires: the offset and the size are at most 64 KiB. Then the rounding adds less than 1 / block_bytes.
[[nodiscard]] constexpr std::size_t index_of_block(std::size_t offset, std::uint64_t reciprocal) noexcept {
    return static_cast<std::size_t>(offset * reciprocal >> 32);
}

}  // namespace freehold::detail

#pragma once
// A slab: 64 KiB of blocks of one class, with a header at a multiple of 64 KiB, found from any block in it.
//
// Invariant: the owner and the class are written before the first block is handed out and do not change while any
// block of the slab is in use. Whoever was given a block may read them without synchronisation.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../../core/alignment.hpp"
#include "parcel.hpp"
#include "slab_class.hpp"

namespace freehold::detail {

inline constexpr std::size_t slab_bytes = std::size_t{64} * 1024;

// What slabs of one upstream allocation, a chunk, have in common; only that of the chunk's first slab is used.
// The supply of slabs guards it.
struct slab_chunk {
    slab_chunk* next;        // of all chunks
    slab_chunk* next_spare;  // of the chunks with slabs that were never taken
    std::byte* spare;        // the first of these
    std::byte* end;
};

template <class Heap>
struct alignas(64) slab {
    slab_chunk chunk;
    Heap* owner;
    std::uint32_t block_class;
    std::uint32_t batch_length;  // so many blocks are cut, and sent home, at once

    static constexpr std::size_t longest_batch = 128;

    // Returns: the slab that the memory is part of, whether or not it is in use yet.
    [[nodiscard]] static slab* of(void* memory) noexcept {
        return reinterpret_cast<slab*>(reinterpret_cast<std::uintptr_t>(memory) & ~std::uintptr_t{slab_bytes - 1});
    }

    // Effects: makes the slab one for blocks of the class, at home in the heap.
    void open(Heap* home, std::size_t opened_class) noexcept {
        owner = home;
        block_class = static_cast<std::uint32_t>(opened_class);
        batch_length = static_cast<std::uint32_t>(std::clamp<std::size_t>(8192 / block_bytes(), 1, longest_batch));
    }

    // Returns: the first block. Each block is aligned to the largest power of two that divides its size.
    [[nodiscard]] std::byte* begin() noexcept {
        return memory() + detail::round_up(sizeof(slab), block_bytes() & (0 - block_bytes()));
    }

    // Returns: the end of the last block.
    [[nodiscard]] std::byte* end() noexcept {
        const auto room = static_cast<std::size_t>(memory() + slab_bytes - begin());
        return begin() + room / block_bytes() * block_bytes();
    }

    // Returns: where the block lies in the slab.
    [[nodiscard]] place_in_slab place_of(const void* block) noexcept {
        const auto bytes = static_cast<std::size_t>(static_cast<const std::byte*>(block) - memory());
        return static_cast<place_in_slab>(bytes / slab_class::granularity);
    }

    [[nodiscard]] void* block_at(place_in_slab place) noexcept { return memory() + place * slab_class::granularity; }

    // Returns: where the slab's memory begins.
    [[nodiscard]] std::byte* memory() noexcept { return reinterpret_cast<std::byte*>(this); }

    [[nodiscard]] std::size_t block_bytes() const noexcept { return slab_class::bytes_of(block_class); }
};

}  // namespace freehold::detail

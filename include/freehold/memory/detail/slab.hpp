#pragma once
// slab: 64 KiB of blocks of one class, whose header is found from any block in it.

#include <cstddef>
#include <cstdint>

#include "../../core/alignment.hpp"
#include "block_lists.hpp"

namespace freehold::detail {

using place_in_slab = std::uint16_t;  // in units of slab_class::granularity

template <class Heap>
struct alignas(64) slab : slab_header {
    // The slabs of one upstream allocation. Only the record in the first of them is used; slab_cache guards it.
    struct chunk_record {
        slab* next;        // the first slab of the next chunk
        slab* next_spare;  // that of the next chunk with slabs that were never taken
        std::byte* spare;  // the first of these
        std::byte* end;
    };
    chunk_record chunk;

    static constexpr std::size_t max_batch = 128;

    // Returns: the slab that the memory is part of, whether or not it is in use yet.
    [[nodiscard]] static slab* of(void* memory) noexcept { return static_cast<slab*>(slab_header::of(memory)); }

    // Returns: the heap that the blocks belong to.
    [[nodiscard]] Heap* owner() const noexcept { return static_cast<Heap*>(home); }

    // Effects: makes the slab one for blocks of the class, at home in the heap.
    void open(Heap* heap, std::size_t opened_class) noexcept {
        home = heap;
        block_class = static_cast<std::uint32_t>(opened_class);
        batch_length = static_cast<std::uint32_t>(detail::clamp(8192 / block_bytes(), 1, max_batch));
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

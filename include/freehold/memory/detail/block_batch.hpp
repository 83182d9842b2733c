#pragma once
// block_batch: free blocks of one slab on their way home, written down in the first of them.
//
// The others are only named. The sender need not touch their memory, nor the owner before it hands them out again, so
// that their cache lines do not travel. A named block may hold a batch in turn.

#include <cstddef>
#include <cstdint>
#include <new>

#include "../../core/alignment.hpp"
#include "../../core/annotate.hpp"
#include "block_canary.hpp"
#include "slab.hpp"

namespace freehold::inline v0_2::detail {

struct place_list {
    const place_in_slab* first;
    std::size_t length;
};

struct block_batch {
    free_link<block_batch> next;  // in an inbox or a slab
    std::uint8_t length;          // the number of blocks that are named here
    std::uint8_t blocks;          // the number of all: this one, those named, and those of their batches
    place_in_slab places[3];      // more follow as far as the block goes

    // In a place: the block there holds a batch. Places have twelve bits.
    static constexpr place_in_slab holds_batch = 1 << 12;

    static_assert(slab_bytes / slab_class::granularity <= holds_batch);

    [[nodiscard]] static constexpr std::size_t bytes(std::size_t length) noexcept {
        return offsetof(block_batch, places) + length * sizeof(place_in_slab);
    }

    // Returns: the number of blocks that a batch in a block of `block_bytes` can name.
    [[nodiscard]] static constexpr std::size_t capacity(std::size_t block_bytes) noexcept {
        // The last byte of a hardened block stays filled (byte_before.hpp).
        return detail::smaller((block_bytes - least_canary - bytes(0)) / sizeof(place_in_slab), UINT8_MAX);
    }

    // Returns: where the place at the index is stored.
    [[nodiscard]] place_in_slab* address_of_place(std::size_t index) noexcept {
        return reinterpret_cast<place_in_slab*>(reinterpret_cast<std::byte*>(this) + bytes(index));
    }

    // Effects: makes the free block a batch of `total` blocks: itself, those of other batches, and others.
    static block_batch* write(void* block, place_list batches, place_list blocks, std::size_t total) noexcept {
        const std::size_t length = batches.length + blocks.length;
        annotate_allocated(block, bytes(length));
        auto* const made = ::new (block) block_batch;  // clearing the rest would cost stores
        made->length = static_cast<std::uint8_t>(length);
        made->blocks = static_cast<std::uint8_t>(total);
        for (std::size_t i = 0; i < blocks.length; ++i) *made->address_of_place(i) = blocks.first[i];
        for (std::size_t i = 0; i < batches.length; ++i) {
            *made->address_of_place(blocks.length + i) = batches.first[i] | holds_batch;
        }
        // What a place could hold is as it was, so that the owner sees whether anything else is written there.
        constexpr std::size_t always = sizeof(places) / sizeof(place_in_slab);
        if constexpr (has_canaries) {
            if (length < always)
                block_canary<slab_class>::fill_again(block, made->address_of_place(length),
                                                     bytes(always) - bytes(length));
        }
        annotate_free(block, bytes(length));
        return made;
    }

    // Effects: puts the batch before another.
    void set_next(block_batch* after) noexcept {
        annotate_allocated(this, sizeof(next));
        next = {after, this};
        annotate_free(this, sizeof(next));
    }

    // Returns: the place that was named last, taken out with the batch that may be there. Requires: there is one.
    [[nodiscard]] place_in_slab take_place() noexcept {
        annotate_allocated(this, bytes(0));
        const place_in_slab place = read_free(address_of_place(--length));
        const std::size_t taken = (place & holds_batch) == 0 ? 1 : read_free(block_at(place)).blocks;
        blocks = static_cast<std::uint8_t>(blocks - taken);
        annotate_free(this, bytes(0));
        return place;
    }

    // Returns: the batch that this one was put before.
    [[nodiscard]] block_batch* following() const noexcept { return read_free(this).next.from(this); }

    // Returns: the batch at the place, which names another block of its slab.
    [[nodiscard]] block_batch* block_at(place_in_slab place) noexcept {
        return static_cast<block_batch*>(slab::of(this)->block_at(place & (holds_batch - 1)));
    }
};

static_assert(sizeof(block_batch) <= slab_class::granularity, "the smallest block holds one");

}  // namespace freehold::detail

#pragma once
// A parcel: free blocks of one slab on their way home, written down in the first of them.
//
// The others are only named. Whoever gathers them need not touch their memory, nor the owner before it hands them out
// again, so that it is not passed between processors for a block's sake. What is named may be parcels in turn, whose
// memory the owner can ask for all at once.

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include "../../core/annotate.hpp"
#include "slab_class.hpp"

namespace freehold::detail {

using place_in_slab = std::uint16_t;  // in units of slab_class::granularity
using place_list = std::span<const place_in_slab>;

struct parcel {
    parcel* next;             // in an inbox
    std::uint8_t length;      // so many blocks are named
    std::uint8_t parcels;     // so many of them, the first ones, are parcels
    place_in_slab places[3];  // more follow as far as the block goes

    [[nodiscard]] static constexpr std::size_t bytes(std::size_t length) noexcept {
        return offsetof(parcel, places) + length * sizeof(place_in_slab);
    }

    // Returns: the number of blocks that one of so many bytes can name.
    [[nodiscard]] static constexpr std::size_t capacity(std::size_t block_bytes) noexcept {
        const std::size_t room = (block_bytes - bytes(0)) / sizeof(place_in_slab);
        return room < UINT8_MAX ? room : UINT8_MAX;
    }
};

static_assert(sizeof(parcel) == slab_class::granularity, "the smallest block holds one");

// Returns: where the place at the index stands in a parcel.
[[nodiscard]] inline place_in_slab* address_of_place(parcel* named_in, std::size_t index) noexcept {
    return reinterpret_cast<place_in_slab*>(reinterpret_cast<std::byte*>(named_in) + parcel::bytes(index));
}

// Effects: turns the memory of a free block into a parcel of itself, of other parcels and of blocks. Returns: it.
inline parcel* write_parcel(void* block, place_list parcels, place_list blocks) noexcept {
    const std::size_t length = parcels.size() + blocks.size();
    annotate_allocated(block, parcel::bytes(length));
    auto* const made = ::new (block) parcel;  // the rest is not worth a store here
    made->length = static_cast<std::uint8_t>(length);
    made->parcels = static_cast<std::uint8_t>(parcels.size());
    for (std::size_t i = 0; i < parcels.size(); ++i) *address_of_place(made, i) = parcels[i];
    for (std::size_t i = 0; i < blocks.size(); ++i) *address_of_place(made, parcels.size() + i) = blocks[i];
    annotate_free(block, parcel::bytes(length));
    return made;
}

// Effects: puts the parcel before another.
inline void set_next_parcel(parcel* changed, parcel* next) noexcept {
    annotate_allocated(changed, sizeof(changed->next));
    changed->next = next;
    annotate_free(changed, sizeof(changed->next));
}

}  // namespace freehold::detail

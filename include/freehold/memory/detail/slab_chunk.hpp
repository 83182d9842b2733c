#pragma once
// slab_chunk: the record of the slabs that came from the upstream in one piece. basic_slab_cache has it.

#include <cstdint>

namespace freehold::detail {

// In the header of the first slab of the chunk.
template <class Slab>
struct slab_chunk {
    Slab* next;            // the first slab of the next chunk
    Slab* previous;        // that of the previous one
    std::uint32_t slabs;   // their number
    std::uint32_t spare;   // a bit for each that is not in use
    std::uint32_t opened;  // a bit for each that was in use, and whose header is valid
};

// The base of a slab's header for basic_slab_cache.
template <class Slab>
class slab_in_chunk {
public:
    Slab* first_of_chunk = nullptr;
    slab_chunk<Slab> chunk = {};  // used in the first slab of a chunk only
    std::uint16_t block_class = 0;

private:
    friend Slab;

    constexpr slab_in_chunk() noexcept = default;
};

}  // namespace freehold::detail

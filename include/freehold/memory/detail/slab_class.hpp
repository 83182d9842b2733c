#pragma once
// The sizes of the blocks in slabs, in bytes.
//
// Up to 512 they are 16 apart, beyond four to a doubling. Invariant: a request that is rounded up to a multiple of its
// alignment has a class whose size is a multiple of that alignment as well.
//
// Not those of size_class.hpp, which are 8 apart: a free block here may have to hold a parcel, and what need not be
// aligned to more than 16 bytes, as a request is that does not say, goes to its class without being rounded up first.

#include <bit>
#include <cstddef>

namespace freehold::detail {

struct slab_class {
    static constexpr std::size_t granularity = 16;
    static constexpr std::size_t largest_fine = 512;
    static constexpr std::size_t largest = 8192;

    // Requests of no bytes have class 0, so that they need no test.
    static constexpr std::size_t count = largest_fine / granularity + 1 + 4 * 4;

    // Returns: the class of the smallest blocks with room for the bytes. Requires: bytes <= largest_fine.
    [[nodiscard]] static constexpr std::size_t of_fine(std::size_t bytes) noexcept {
        return (bytes + granularity - 1) / granularity;
    }

    // Returns: the same. Requires: bytes <= largest.
    [[nodiscard]] static constexpr std::size_t of(std::size_t bytes) noexcept {
        if (bytes <= largest_fine) return of_fine(bytes);
        // 2^(doubling - 1) < bytes <= 2^doubling, and the quarter that bytes falls in is one of 4 to 7.
        const auto doubling = static_cast<std::size_t>(std::bit_width(bytes - 1));
        const std::size_t quarter = (bytes - 1) >> (doubling - 3);
        return largest_fine / granularity + 1 + 4 * (doubling - 10) + (quarter - 4);
    }

    // Returns: the size of the blocks of the class.
    [[nodiscard]] static constexpr std::size_t bytes_of(std::size_t block_class) noexcept {
        if (block_class == 0) return granularity;
        if (block_class <= largest_fine / granularity) return block_class * granularity;
        const std::size_t coarse = block_class - largest_fine / granularity - 1;
        return (coarse % 4 + 5) << (7 + coarse / 4);
    }
};

static_assert(slab_class::of(slab_class::largest) + 1 == slab_class::count);
static_assert(slab_class::bytes_of(slab_class::count - 1) == slab_class::largest);

}  // namespace freehold::detail

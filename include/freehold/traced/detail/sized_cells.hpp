#pragma once
// sized_cells: the memory of objects whose size is known when they are made, as of arrays and frames of coroutines.
//
// An object of up to 16 KiB is in a cell of one of 36 sizes, each of which has a type. A larger one is in blocks of its
// own, which begin with its type, and the object follows.

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <new>
#include <span>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/annotate.hpp"
#include "traced_chunk.hpp"
#include "traced_collector.hpp"
#include "traced_types.hpp"

namespace freehold::inline v0_2::detail {

// The sizes of cells: multiples of 16 bytes up to 128, then four between a power of two and the next.
struct cell_sizes {
    static constexpr std::size_t unit = 16;
    static constexpr std::size_t count = 36;

    // Returns: the number of the smallest size for the bytes. Requires: 0 < bytes <= of(count - 1).
    [[nodiscard]] static constexpr std::size_t number_for(std::size_t bytes) noexcept {
        const std::size_t units = (bytes - 1) / unit;
        const auto width = static_cast<std::size_t>(std::bit_width(units));
        const std::size_t shift = width > 3 ? width - 3 : 0;
        return 4 * shift + (units >> shift);
    }

    [[nodiscard]] static constexpr std::size_t of(std::size_t number) noexcept {
        if (number < 8) return (number + 1) * unit;
        const std::size_t shift = number / 4 - 1;
        return (number - 4 * shift + 1) * unit << shift;
    }
};

static_assert(cell_sizes::of(cell_sizes::count - 1) == traced_chunk::max_cell_bytes);

// A Kind of objects has their types: type<before>(bytes) is that of a cell of that size, in which the object begins
// after `before` bytes: none, or type_bytes if it is large.
template <class Kind, std::size_t alignment>
class sized_cells {
public:
    static constexpr std::size_t type_bytes =
        round_up(sizeof(traced_type), detail::larger(alignment, cell_sizes::unit));

    [[nodiscard]] static constexpr bool is_large(std::size_t bytes) noexcept {
        return round_up(bytes, alignment) > traced_chunk::max_cell_bytes;
    }

    // Returns: the place for an object of that size, which is to be destroyed if `is_destroyed`. Effects: may collect;
    // the objects of `held` survive. Throws: std::bad_alloc.
    [[nodiscard]] static void* take(traced_mutator& here, std::size_t bytes, std::span<const void* const> held,
                                    bool is_destroyed) {
        void* cell = nullptr;
        void* place = nullptr;
        if (is_large(bytes)) {
            const traced_type type = Kind::template type<type_bytes>(type_bytes + bytes);
            cell = here.heap.take_slowly(here, detail::known_index(indices.back()), type, held);
            detail::annotate_allocated(cell, type.cell_bytes);
            traced_chunk::set_type(cell, *::new (cell) traced_type(type));
            place = static_cast<std::byte*>(cell) + type_bytes;
        } else {
            const std::size_t number = cell_sizes::number_for(bytes);
            std::atomic<std::size_t>& index = indices[number];
            const traced_type& type = small_type(number);
            cell = place = here.cells.take_from_run<true>(
                index.load(std::memory_order_relaxed), type.cell_bytes,  // only a number
                [&]() -> void* { return here.heap.take_slowly(here, detail::known_index(index), type, held); });
            detail::annotate_allocated(cell, bytes);
        }
        if (is_destroyed) traced_chunk::mark_for_destruction(cell);
        return place;
    }

private:
    // The indices of the types in all heaps, by the number of the size; 0 until the first object is made. The last one
    // is that of all large objects.
    static inline constinit std::array<std::atomic<std::size_t>, cell_sizes::count + 1> indices = {};

    // Returns: the type of cells of that size.
    [[nodiscard]] static const traced_type& small_type(std::size_t number) noexcept {
        // Not constexpr, or what is wrong with T would be told twice.
        static const auto types = []<std::size_t... each>(std::index_sequence<each...>) {
            return std::array{Kind::template type<0>(round_up(cell_sizes::of(each), alignment))...};
        }(std::make_index_sequence<cell_sizes::count>());
        return types[number];
    }
};

}  // namespace freehold::detail

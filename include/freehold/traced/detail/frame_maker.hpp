#pragma once
// The memory and the types of coroutine frames in a traced heap, as array_maker.hpp has those of arrays: of a frame,
// only the compiler knows the size.

#include <array>
#include <atomic>
#include <coroutine>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "../../core/annotate.hpp"
#include "../../core/config.hpp"
#include "../traced_heap.hpp"
#include "array_maker.hpp"
#include "frame_list.hpp"
#include "heap_checks.hpp"
#include "traced_chunk.hpp"
#include "traced_marker.hpp"
#include "traced_types.hpp"

namespace freehold::inline v0_2::detail {

class frame_maker {
public:
    // Returns: memory for a frame. Effects: may collect; the targets of arguments that are handles survive.
    // Throws: std::bad_alloc.
    // Not inline: a coroutine must not have these variables.
    template <class... Arguments>
    [[nodiscard]] FREEHOLD_NOINLINE static void* allocate(traced_heap& heap, std::size_t bytes,
                                                          const Arguments&... arguments);

    // Effects: destroys what is in the frame, unless that was done before.
    static void destroy(frame_record& frame) noexcept {
        if (frame.coroutine != nullptr) std::coroutine_handle<>::from_address(frame.coroutine).destroy();
        frame.leave();
    }

    template <bool is_large>
    [[nodiscard]] static constexpr traced_type type(std::size_t cell_bytes) noexcept {
        return {
            .name = "freehold::traced_frame",
            .cell_bytes = cell_bytes,
            .trace = trace<is_large>,
            .destroy =
                [](void* cell) noexcept {
                    const heap_checks::destruction running;
                    frame_maker::destroy(frame_record::in(cell, is_large));
                },
            .is_frame = true,
        };
    }

private:
    template <bool is_large>
    static void trace(const void* cell, traced_marker& marker) {
        const frame_record& frame = frame_record::in(cell, is_large);
        for (const local_root* each = frame.locals; each != nullptr; each = each->next()) marker.mark(each->get());
    }

    // By the number of the size; the last one is that of all large frames.
    static inline constinit std::array<std::atomic<std::size_t>, array_sizes::count + 1> indices = {};
};

// The types of frames that are not large, by the number of their size.
inline constexpr auto frame_types = []<std::size_t... number>(std::index_sequence<number...>) {
    return std::array{frame_maker::type<false>(array_sizes::of(number))...};
}(std::make_index_sequence<array_sizes::count>());

template <class... Arguments>
void* frame_maker::allocate(traced_heap& heap, std::size_t bytes, const Arguments&... arguments) {
    traced_collector& collector = heap.attached();
    collector.use_frames();
    const void* const held[] = {traced_heap::object_of(arguments)..., nullptr};
    bytes += sizeof(frame_record);
    void* cell = nullptr;
    const bool is_large = bytes > traced_chunk::max_cell_bytes;
    if (is_large) {
        const traced_type type = frame_maker::type<true>(bytes + frame_record::type_bytes);
        cell = collector.take_slowly(detail::known_index(indices.back()), type, held);
        detail::annotate_allocated(cell, type.cell_bytes);
        traced_chunk::set_type(cell, *::new (cell) traced_type(type));
    } else {
        const std::size_t number = array_sizes::number_for(bytes);
        std::atomic<std::size_t>& index = indices[number];
        cell = collector.cells.take_from_run(
            index.load(std::memory_order_relaxed), frame_types[number].cell_bytes,  // only a number
            [&]() -> void* { return collector.take_slowly(detail::known_index(index), frame_types[number], held); });
        detail::annotate_allocated(cell, frame_types[number].cell_bytes);
    }
    auto* const record = ::new (&frame_record::in(cell, is_large)) frame_record;
    collector.add_frame(*record);
    traced_chunk::mark_for_destruction(cell);
    return record->frame();
}

}  // namespace freehold::detail

#pragma once
// The memory and the types of coroutine frames in a traced heap: of a frame, only the compiler knows the size.

#include <coroutine>
#include <cstddef>
#include <new>

#include "../../core/config.hpp"
#include "frame_list.hpp"
#include "heap_checks.hpp"
#include "object_maker.hpp"
#include "sized_cells.hpp"
#include "space_lock.hpp"
#include "stack_roots.hpp"
#include "traced_chunk.hpp"
#include "traced_marker.hpp"
#include "write_barrier.hpp"

namespace freehold::inline v0_2::detail {

class frame_maker {
public:
    // Returns: memory for a frame. Effects: may collect; the targets of arguments that are handles survive.
    // Throws: std::bad_alloc.
    // Not inline: a coroutine must not have these variables.
    template <class Heap, class... Arguments>
    [[nodiscard]] FREEHOLD_NOINLINE static void* allocate(Heap& heap, std::size_t bytes, const Arguments&... arguments);

    // Effects: destroys what is in the frame, unless that was done before.
    static void destroy(frame_record& frame) noexcept {
        if (frame.coroutine != nullptr) std::coroutine_handle<>::from_address(frame.coroutine).destroy();
        frame.leave();
    }

    template <std::size_t before>
    [[nodiscard]] static constexpr traced_type type(std::size_t cell_bytes) noexcept {
        constexpr bool is_large = before != 0;
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
};

template <class Heap, class... Arguments>
void* frame_maker::allocate(Heap& heap, std::size_t bytes, const Arguments&... arguments) {
    traced_mutator& here = heap.attached();
    traced_space& space = here.heap.space();
    Heap::is_shared ? stack_roots::expect_known() : here.stack.use_frames();
    space.frames.use();
    const void* const held[] = {object_maker::object_of(arguments)..., nullptr};
    using sized = sized_cells<frame_maker, alignof(frame_record)>;
    static_assert(sized::type_bytes == frame_record::type_bytes);
    void* const place = sized::take(here, sizeof(frame_record) + bytes, held, true);
    auto* const record = ::new (place) frame_record;
    const space_lock locked(space.mutex);
    space.frames.add(*record);
    return record->frame();
}

}  // namespace freehold::detail

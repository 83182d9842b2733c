#pragma once
// What a thread knows of its collected objects: the candidates for cycles, and what waits for its destruction.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>

#include "../../core/growing_buffer.hpp"
#include "../../core/static_tls.hpp"
#include "cyclic_block.hpp"
#include "cyclic_header.hpp"

namespace freehold {

// What a collection did.
struct cyclic_collection {
    std::chrono::steady_clock::time_point started;
    std::chrono::nanoseconds pause;  // with the destructors and each finalize()
    std::size_t visited_objects;
    std::size_t ended_objects;
};

namespace detail {

class cell_free_list;
class weak_records;

// The link that stands in the place of a header where a cell has no object.
struct linked_cell {
    linked_cell* next;
};

// The same for an object that waits for its destruction.
struct waiting_object {
    std::uintptr_t next;  // with cyclic_header::finalized, where the object is that
};

// Trivially destructible and constant-initialised, as the decision on static thread-local variables has it.
struct cyclic_thread {
    // A run is worth its while from so many candidates on, and after so many allocations.
    static constexpr std::size_t least_candidates = 1024;
    static constexpr std::size_t least_allocations = 1024;

    // Destructors of collected objects nest in so many bytes of the stack: enough for trees to be destroyed as they
    // always were, and little of the smallest of stacks. Addresses tell, and not a count: each destructor would wait
    // for that of the one before (binary-trees took an eighth more time with clang).
    static constexpr std::size_t most_nested_bytes = 8192;

    growing_buffer<cyclic_header*> candidates;
    std::size_t allocations_left = least_allocations;  // until it is time to look whether to collect
    std::uintptr_t waiting = 0;                        // the address of the first waiting_object
    std::uintptr_t outermost = 0;                      // the frame that ends objects; 0 where none does
    bool automatic = true;
    bool collecting = false;
    bool wanted = false;           // somebody asked for a collection when none was possible
    bool lost_candidates = false;  // there was no room for one: any object may be garbage
    bool ended = false;
    std::size_t runs = 0;  // of collections
    void (*observer)(const cyclic_collection&) = nullptr;
    std::uint64_t id = 0;   // 0 until the thread has its first cells
    std::size_t cells = 0;  // that were ever handed out and not given back with their block
    cell_free_list* free_lists = nullptr;
    detail::weak_records* weak_records = nullptr;

    // Returns: whether a collection is worth its while, or was asked for.
    [[nodiscard]] bool is_run_due() const noexcept {
        return wanted || (automatic && (lost_candidates || candidates.size() >= least_candidates));
    }

    // Effects: the object is a candidate. It lost an owner, so it may be part of a cycle that nobody owns any more.
    // Out of line: for its sake each release would save more registers.
    [[gnu::noinline]] void suspect(cyclic_header& header) noexcept {
        if (candidates.is_full() && !add_room()) [[unlikely]] {
            lost_candidates = true;
            return;
        }
        candidates.add(&header);
        header.set_place(candidates.size());
    }

    // Effects: the object is a candidate no more. Requires: it was one. Complexity: constant.
    void clear_suspicion(cyclic_header& header) noexcept {
        cyclic_header* const last = candidates.pop();
        if (last != &header) {
            const std::size_t place = header.place();
            candidates[place - 1] = last;
            last->set_place(place);
        }
        header.set_place(0);
    }

    // Returns: whether a destructor or finalize() of a collected object may be running.
    [[nodiscard]] bool is_ending() const noexcept { return outermost != 0; }

    // Returns: whether there is no more room for destructors to nest. On another stack, a fibre's say, there is none.
    // Requires: is_ending().
    [[nodiscard, gnu::always_inline]] bool is_too_deep() const noexcept {
        return outermost - this_frame() > most_nested_bytes;
    }

    // Effects: calls end(), which ends objects. Requires: !is_ending().
    template <class End>
    [[gnu::always_inline]] void as_outermost(End end) {
        outermost = this_frame();
        end();
        outermost = 0;
    }

    // Effects: the object, which has ended, will be destroyed by the outermost destruction.
    void put_off(cyclic_header& header) noexcept {
        const std::uintptr_t finalized =
            header.is(cyclic_header::finalized) ? std::uintptr_t{cyclic_header::finalized} : 0;
        waiting =
            reinterpret_cast<std::uintptr_t>(::new (static_cast<void*>(&header)) waiting_object{waiting | finalized});
    }

    // Effects: ends all that waits. Requires: is_ending(), and only as the outermost.
    [[gnu::noinline]] void work_off() noexcept {
        while (waiting != 0) {
            auto* const object = reinterpret_cast<waiting_object*>(waiting);
            const std::uintptr_t next = object->next;
            waiting = next & ~std::uintptr_t{cyclic_header::finalized};
            auto* const header = ::new (static_cast<void*>(object)) cyclic_header(true);
            if (waiting != next) header->set(cyclic_header::finalized);
            cyclic_block::of(*header).type->end_now(*header);
        }
    }

private:
    // Returns: the address of the frame of the function that this is inlined into.
    [[nodiscard, gnu::always_inline]] static std::uintptr_t this_frame() noexcept {
        return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    }

    // Effects: there is room for another candidate. Returns: whether there is.
    [[nodiscard, gnu::noinline]] bool add_room() noexcept {
        const std::size_t room = std::min(2 * candidates.size() + 64, cyclic_header::most_places);
        return !ended && candidates.size() < room && candidates.reserve(room);
    }
};

FREEHOLD_STATIC_TLS inline constinit thread_local cyclic_thread this_cyclic_thread{};

// Returns: a number that no other thread has or had.
[[nodiscard]] inline std::uint64_t next_cyclic_thread() noexcept {
    static constinit std::atomic<std::uint64_t> last = 0;
    return last.fetch_add(1, std::memory_order_relaxed) + 1;  // relaxed: the number orders nothing
}

}  // namespace detail
}  // namespace freehold

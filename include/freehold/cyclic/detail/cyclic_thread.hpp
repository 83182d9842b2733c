#pragma once
// The state of a thread's collected objects: the candidates for cycles, and the deferred destructions.

#include <cstddef>
#include <cstdint>
#include <new>

#include "../../core/growing_buffer.hpp"
#include "../../core/static_tls.hpp"
#include "cyclic_cells.hpp"
#include "cyclic_header.hpp"
#include "weak_records.hpp"

namespace freehold {

struct cyclic_collection;

namespace detail {

class trial_deletion;

// Replaces the header of an object whose destruction is deferred.
struct deferred_object {
    std::uintptr_t next;  // with linked_cell::taken, and the bit cyclic_header::finalized, if this object is finalized
};

// Trivially destructible and constant-initialized, as the decision on static thread-local variables demands.
struct cyclic_thread : cell_owner {
    // Collect after this many candidates, and not before this many allocations.
    static constexpr std::size_t min_candidates = 1024;
    static constexpr std::size_t min_allocations = 1024;

    // Destructors of collected objects nest in this much of the stack: enough for the usual trees, and little of the
    // smallest stack. Addresses tell the depth and not a count, which each destructor would have to load and store
    // (binary-trees took an eighth more time with clang).
    static constexpr std::size_t max_nested_bytes = 8192;

    growing_buffer<cyclic_header*> candidates;
    std::size_t allocations_left = min_allocations;  // until make_cyclic asks whether to collect
    std::uintptr_t deferred = 0;                     // the address of the first deferred_object
    std::uintptr_t outermost = 0;                    // the frame of the outermost destruction; 0 if there is none
    bool automatic = true;
    bool collecting = false;
    bool requested = false;        // collect() was called while no collection was possible
    bool lost_candidates = false;  // there was no memory for one: any object may be garbage
    bool has_exited = false;
    std::size_t runs = 0;
    void (*on_collection)(const cyclic_collection&) = nullptr;
    // Runs a collection and calls on_collection; null if there is no callback. Only a program that sets one needs
    // <chrono>.
    std::size_t (*run_with_callback)(trial_deletion&, std::size_t budget) noexcept = nullptr;
    detail::weak_records<one_thread> weak_records;

    // Returns: whether to collect now.
    [[nodiscard]] bool is_run_due() const noexcept {
        return requested || (automatic && (lost_candidates || candidates.size() >= min_candidates));
    }

    // Effects: makes the object a candidate. It lost an owner, so it may be part of an unowned cycle.
    // Out of line: inlined, it would make each release save more registers.
    [[gnu::noinline]] void add_candidate(cyclic_header& header) noexcept {
        if (candidates.is_full() && !add_room()) [[unlikely]] {
            lost_candidates = true;
            return;
        }
        candidates.add(&header);
        header.set_place(candidates.size());
    }

    // Effects: the object is no longer a candidate. Requires: it was one. Complexity: constant.
    void remove_candidate(cyclic_header& header) noexcept {
        cyclic_header* const last = candidates.pop();
        if (last != &header) {
            const std::size_t place = header.place();
            candidates[place - 1] = last;
            last->set_place(place);
        }
        header.set_place(0);
    }

    // Returns: whether a destructor or finalize() of a collected object may be running.
    [[nodiscard]] bool is_destroying() const noexcept { return outermost != 0; }

    // Returns: whether destructors nest too deeply. On another stack, such as a fiber's, they always do.
    // Requires: is_destroying().
    [[nodiscard, gnu::always_inline]] bool is_too_deep() const noexcept {
        return outermost - this_frame() > max_nested_bytes;
    }

    // Effects: calls work(), which destroys objects. Requires: !is_destroying().
    template <class Work>
    [[gnu::always_inline]] void as_outermost(Work work) {
        outermost = this_frame();
        work();
        outermost = 0;
    }

    // Effects: leaves the object to drain(). Requires: it has no owner.
    void defer(cyclic_header& header) noexcept {
        const std::uintptr_t finalized =
            header.is(cyclic_header::finalized) ? std::uintptr_t{cyclic_header::finalized} : 0;
        deferred = reinterpret_cast<std::uintptr_t>(::new (static_cast<void*>(&header))
                                                        deferred_object{deferred | finalized | linked_cell::taken});
    }

    // Effects: destroys and frees all deferred objects. Requires: the caller is the outermost destruction.
    [[gnu::noinline]] void drain() noexcept {
        while (deferred != 0) {
            auto* const object = reinterpret_cast<deferred_object*>(deferred);
            const std::uintptr_t next = object->next;
            const bool is_finalized = (next & cyclic_header::finalized) != 0;
            deferred = next & ~(linked_cell::taken | cyclic_header::finalized);
            auto* const header = ::new (static_cast<void*>(object)) cyclic_header(true);
            if (is_finalized) header->set(cyclic_header::finalized);
            cyclic_block::of(*header).type->dispose_now(*header);
        }
    }

private:
    // Returns: the address of the frame of the function that it is inlined into.
    [[nodiscard, gnu::always_inline]] static std::uintptr_t this_frame() noexcept {
        return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    }

    // Effects: makes room for another candidate. Returns: whether there is room.
    [[nodiscard, gnu::noinline]] bool add_room() noexcept {
        const std::size_t wanted = 2 * candidates.size() + 64;
        const std::size_t room = wanted < cyclic_header::max_places ? wanted : cyclic_header::max_places;
        return !has_exited && candidates.size() < room && candidates.reserve(room);
    }
};

FREEHOLD_STATIC_TLS inline constinit thread_local cyclic_thread this_cyclic_thread{};

}  // namespace detail
}  // namespace freehold

#pragma once
// What builds without NDEBUG check of every object that a handle of a traced heap leads to: that it is in a heap of
// this thread and alive, and that a store does not lead from heap to heap, or from a live object to a dying one.
//
// An object is alive if it is marked, or in a cell that was handed out since the last collection. A freed cell that was
// handed out again passes this check. container_watch.hpp checks slots outside of the heap more exactly, and
// constructed_members.hpp those inside.
//
// With NDEBUG all functions do nothing.

#include <cstddef>

#include "../../core/assert.hpp"
#include "../../core/config.hpp"
#include "attached_heaps.hpp"
#include "chunk_table.hpp"
#include "container_watch.hpp"
#include "traced_chunk.hpp"

namespace freehold::detail {

// Trivially destructible and constant-initialized, as the decision on static thread-local variables has it.
class heap_checks {
public:
    static constexpr bool is_on = container_watch::is_on;

    // Effects: the heap is one of this thread, until detach().
    static void attach([[maybe_unused]] attached_heap& its) noexcept {
        if constexpr (is_on) attached_heaps::of_thread().add(its);
    }

    static void detach([[maybe_unused]] attached_heap& its) noexcept {
        if constexpr (is_on) attached_heaps::of_thread().remove(its);
    }

    // Requires: null, or the address is in a live object of a heap of this thread, which may still be constructed.
    [[gnu::noinline]] static void check_object([[maybe_unused]] const void* address,
                                               [[maybe_unused]] const char* handle) noexcept {
        if constexpr (is_on) {
            if (address == nullptr) return;
            const heap* const its = attached_heaps::of_thread().heap_of(address);
            [[maybe_unused]] const bool the_object_is_in_a_heap_of_this_thread = its != nullptr;
            FREEHOLD_EXPECTS(the_object_is_in_a_heap_of_this_thread,
                             "the object is in no traced_heap that is attached to this thread: its heap is destroyed, "
                             "or attached to another thread, or to none; call attach() here first",
                             handle);
            [[maybe_unused]] const bool no_collection_freed_the_object =
                its->watch->is_marking() || is_alive(*its, address);
            FREEHOLD_EXPECTS(
                no_collection_freed_the_object,
                "a collection freed the object, or is freeing it: no root led to it; keep it in a "
                "traced_local or a traced_root, visit it in trace(visit), and do not use it in a destructor",
                handle);
            its->watch->check_made(address);
        }
    }

    // Requires: null, or the address is in a heap of this thread.
    [[gnu::noinline]] static void check_leaving([[maybe_unused]] const void* address) noexcept {
        if constexpr (is_on) {
            [[maybe_unused]] const bool the_handle_is_to_a_heap_of_this_thread =
                address == nullptr || attached_heaps::of_thread().heap_of(address) != nullptr;
            FREEHOLD_EXPECTS(the_handle_is_to_a_heap_of_this_thread,
                             "a handle is destroyed or changed in a thread that its heap is not attached to; call "
                             "attach() here first",
                             "freehold::traced_root, traced_weak_ptr or ephemeron");
        }
    }

    // Requires: `target` was not freed since it was stored in `slot`, a traced_ptr.
    [[gnu::noinline]] static void check_slot([[maybe_unused]] const void* slot, [[maybe_unused]] const void* target,
                                             [[maybe_unused]] const char* handle) noexcept {
        if constexpr (is_on) {
            if (here.destroying_ != 0) return;
            for (const heap* each = attached_heaps::of_thread().first(); each != nullptr; each = each->next) {
                if (!each->watch->is_marking()) each->watch->check_giver(slot, target, handle);
                [[maybe_unused]] const bool a_trace_visits_the_traced_ptr =
                    each->watch->is_marking() || !each->watch->is_lost(slot, target);
                FREEHOLD_EXPECTS(
                    a_trace_visits_the_traced_ptr,
                    "a collection freed what this traced_ptr points to: it is in no object of the heap, or "
                    "in one whose trace(visit) does not visit it; hold a traced_root in a static, a "
                    "coroutine, a closure or a container outside of the heap",
                    handle);
            }
        }
    }

    // Effects: records the store. Requires: `target` is a live object of the heap that `slot` is in, if it is in one.
    [[gnu::noinline]] static void check_store([[maybe_unused]] const void* slot, [[maybe_unused]] const void* target,
                                              [[maybe_unused]] const char* handle) noexcept {
        if constexpr (is_on) {
            if (target == nullptr) return;
            if (here.destroying_ == 0) check_object(target, handle);
            const heap* const its = attached_heaps::of_thread().heap_of(target);
            if (its == nullptr) return;
            const heap* const of_slot = attached_heaps::of_thread().heap_of(slot);
            const bool is_dying = here.destroying_ != 0 && !is_alive(*its, target);
            if (of_slot == nullptr) return its->watch->note(slot, target, is_dying);
            [[maybe_unused]] const bool both_are_in_one_heap = of_slot == its;
            FREEHOLD_EXPECTS(both_are_in_one_heap,
                             "a traced_ptr in an object of one traced_heap points into another, which does not know of "
                             "it; hold a traced_root",
                             handle);
            [[maybe_unused]] const bool no_live_object_points_to_a_dying_one = !is_dying || !is_alive(*its, slot);
            FREEHOLD_EXPECTS(no_live_object_points_to_a_dying_one,
                             "a destructor stores a pointer to an object that dies in the same collection; add a "
                             "finalizer if it is to live on",
                             handle);
        }
    }

    // Effects: records that the constructor of an object in these bytes has thrown.
    static void note_unmade([[maybe_unused]] const void* begin, [[maybe_unused]] std::size_t bytes,
                            [[maybe_unused]] const char* type) noexcept {
        if constexpr (is_on) {
            if (const heap* const its = attached_heaps::of_thread().heap_of(begin))
                its->watch->note_unmade(begin, bytes, type);
        }
    }

    // A destructor of an object of a heap runs during the lifetime of one.
    class destruction {
    public:
        destruction() noexcept {
            if constexpr (is_on) ++here.destroying_;
        }
        destruction(const destruction&) = delete;
        destruction& operator=(const destruction&) = delete;
        ~destruction() {
            if constexpr (is_on) --here.destroying_;
        }
    };

private:
    using heap = attached_heap;

    // Requires: the address is in a chunk of the heap.
    [[nodiscard]] static bool is_alive(const heap& its, const void* address) noexcept {
        const void* const head = wide_chunks::head_of(address);
        const traced_block* const block = its.chunks->find(head)->opened_block_of(head);
        if (block == nullptr) return false;
        const std::size_t index = block->index_of(head);
        return block->is_large() || (index < block->cells && (block->is_marked(index) || block->was_taken(index)));
    }

    FREEHOLD_STATIC_TLS static thread_local constinit heap_checks here;

    int destroying_ = 0;  // running destructors
};

FREEHOLD_STATIC_TLS inline thread_local constinit heap_checks heap_checks::here{};

}  // namespace freehold::detail

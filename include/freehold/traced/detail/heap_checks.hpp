#pragma once
// What builds without NDEBUG check of every object that a handle of a traced heap leads to: that it is in a heap of
// this thread and alive, and that a store does not lead from heap to heap, or from a live object to a dying one.
//
// An object is alive if it is marked, or in a cell that was handed out since the last collection. A freed cell that was
// handed out again passes this check. container_watch.hpp checks slots outside of the heap more exactly, and
// constructed_members.hpp those inside.
//
// With NDEBUG nobody calls the checks, and the other functions do nothing.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../core/assert.hpp"
#include "../../core/config.hpp"
#include "../../core/platform/thread_key.hpp"
#include "chunk_table.hpp"
#include "container_watch.hpp"
#include "frame_list.hpp"
#include "space_lock.hpp"
#include "traced_chunk.hpp"

namespace freehold::inline v0_2::detail {

// Part of a heap.
struct attached_heap {
    const chunk_table* chunks;
    container_watch* watch;
    spinning_mutex* mutex = nullptr;  // of a heap that threads share
    attached_heap* next = nullptr;
};

class listed_heaps {
public:
    void add(attached_heap& added) noexcept {
        added.next = first_;
        first_ = &added;
    }

    void remove(attached_heap& removed) noexcept {
        attached_heap** place = &first_;
        while (*place != nullptr && *place != &removed) place = &(*place)->next;
        if (*place != nullptr) *place = removed.next;
    }

    // Returns: the heap with the address in one of its chunks, or a null pointer.
    [[nodiscard]] const attached_heap* heap_of(const void* address) const noexcept {
        for (const attached_heap* each = first_; each != nullptr; each = each->next) {
            if (each->chunks->contains(address)) return each;
        }
        return nullptr;
    }

    [[nodiscard]] const attached_heap* first() const noexcept { return first_; }

private:
    attached_heap* first_ = nullptr;
};

// The heaps that threads share, whether the calling thread has a session or not.
class shared_heaps {
public:
    static void add(attached_heap& added) noexcept {
        const space_lock held(&mutex);
        all.add(added);
    }

    static void remove(attached_heap& removed) noexcept {
        const space_lock held(&mutex);
        all.remove(removed);
    }

    [[nodiscard]] static bool have(const void* address) noexcept {
        const space_lock held(&mutex);
        return all.heap_of(address) != nullptr;
    }

private:
    static inline constinit spinning_mutex mutex;
    static inline constinit listed_heaps all;
};

// Trivially destructible and constant-initialized, as the decision on static thread-local variables has it.
class attached_heaps : public listed_heaps {
public:
    [[nodiscard]] static attached_heaps& of_thread() noexcept { return here; }

    // Effects: the thread has the heap from now on, until remove().
    void add(attached_heap& added) noexcept {
        listed_heaps::add(added);
        if (!is_end_watched_) is_end_watched_ = watch_end();
    }

private:
    // The end of the calling thread will check that it has no heap. By a key, which comes after the thread_local
    // objects, since these may own heaps. Other keys may own heaps too, so it comes late: not in the last round, after
    // which ThreadSanitizer knows the thread no more. It never comes in the main thread, whose static objects may own
    // heaps. Returns: false if the process has no key left.
    static bool watch_end(std::uintptr_t round = 1) noexcept {
        static const thread_key key(&expect_no_heap);
        return key.set(std::bit_cast<void*>(round));
    }

    static void expect_no_heap(void* value) noexcept {
        const auto round = std::bit_cast<std::uintptr_t>(value);
        if (round < thread_key::rounds - 1 && watch_end(round + 1)) return;
        [[maybe_unused]] const bool the_thread_has_no_session =
            here.first() == nullptr || here.first()->mutex == nullptr;
        FREEHOLD_EXPECTS(the_thread_has_no_session,
                         "a thread ends during its session of a shared heap, which no thread can collect then: let the "
                         "session be a variable, which ends with its scope",
                         "freehold::shared_traced_heap::session");
        [[maybe_unused]] const bool the_thread_has_no_heap = here.first() == nullptr;
        FREEHOLD_EXPECTS(the_thread_has_no_heap,
                         "a thread ends while a heap is attached to it: call detach() there, or destroy the heap",
                         "freehold::traced_heap");
    }

    FREEHOLD_STATIC_TLS static thread_local constinit attached_heaps here;

    bool is_end_watched_ = false;
};

FREEHOLD_STATIC_TLS inline thread_local constinit attached_heaps attached_heaps::here{};

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

    // Effects: the heap is one that threads share, until unshare().
    static void share([[maybe_unused]] attached_heap& its) noexcept {
        if constexpr (is_on) shared_heaps::add(its);
    }

    static void unshare([[maybe_unused]] attached_heap& its) noexcept {
        if constexpr (is_on) shared_heaps::remove(its);
    }

    // Requires: null, or the address is in a live object of a heap of this thread, which may still be constructed.
    FREEHOLD_NOINLINE static void check_object(const void* address, [[maybe_unused]] const char* handle) noexcept {
        if (address == nullptr) return;
        const heap* const its = attached_heaps::of_thread().heap_of(address);
        expect_session(its, address, handle);
        [[maybe_unused]] const bool the_object_is_in_a_heap_of_this_thread = its != nullptr;
        FREEHOLD_EXPECTS(the_object_is_in_a_heap_of_this_thread,
                         "the object is in no traced_heap that is attached to this thread: its heap is destroyed, "
                         "or attached to another thread, or to none; call attach() here first",
                         handle);
        const space_lock held(its->mutex);
        [[maybe_unused]] const bool no_collection_freed_the_object =
            its->watch->is_marking() || is_alive(*its, address);
        FREEHOLD_EXPECTS(no_collection_freed_the_object,
                         "a collection freed the object, or is freeing it: no root led to it; keep it in a "
                         "traced_local or a traced_root, visit it in trace(visit), and do not use it in a destructor",
                         handle);
        its->watch->check_made(address);
    }

    // Requires: the address is in an object of a heap of this thread.
    FREEHOLD_NOINLINE static void check_member(const void* address, [[maybe_unused]] const char* container) noexcept {
        const heap* const its = attached_heaps::of_thread().heap_of(address);
        expect_session(its, address, container);
        [[maybe_unused]] const bool the_container_is_in_an_object_of_a_heap = its != nullptr;
        FREEHOLD_EXPECTS(the_container_is_in_an_object_of_a_heap,
                         "a container grows that is in no object of a traced_heap which is attached to this thread; "
                         "make it a member of one, or hold a traced_root_vector",
                         container);
    }

    // Requires: null, or the address is in a heap of this thread.
    FREEHOLD_NOINLINE static void check_leaving([[maybe_unused]] const void* address) noexcept {
        if (address == nullptr) return;
        const heap* const its = attached_heaps::of_thread().heap_of(address);
        expect_session(its, address, "freehold::traced_root, traced_weak_ptr or ephemeron");
        [[maybe_unused]] const bool the_handle_is_to_a_heap_of_this_thread = its != nullptr;
        FREEHOLD_EXPECTS(the_handle_is_to_a_heap_of_this_thread,
                         "a handle is destroyed or changed in a thread that its heap is not attached to; call "
                         "attach() here first",
                         "freehold::traced_root, traced_weak_ptr or ephemeron");
    }

    // Requires: `target` was not freed since it was stored in `slot`, a traced_ptr.
    FREEHOLD_NOINLINE static void check_slot(const void* slot, const void* target, const char* handle) noexcept {
        if (here.destroying_ != 0) return;
        for (const heap* each = attached_heaps::of_thread().first(); each != nullptr; each = each->next) {
            const space_lock held(each->mutex);
            if (!each->watch->is_marking()) each->watch->check_giver(slot, target, handle);
            [[maybe_unused]] const bool a_trace_visits_the_traced_ptr =
                each->watch->is_marking() || !each->watch->is_lost(slot, target);
            FREEHOLD_EXPECTS(a_trace_visits_the_traced_ptr,
                             "a collection freed what this traced_ptr points to: it is in no object of the heap, or "
                             "in one whose trace(visit) does not visit it; hold a traced_root in a static, a "
                             "coroutine, a closure or a container outside of the heap",
                             handle);
        }
    }

    // Requires: the thread has a session, if `slot`, which is emptied, is in a heap that threads share. Only where it
    // has no heap at all that is looked up: elsewhere another heap may give back chunks meanwhile.
    FREEHOLD_NOINLINE static void check_emptied(const void* slot, const char* handle) noexcept {
        if (attached_heaps::of_thread().first() == nullptr) expect_session(nullptr, slot, handle);
    }

    // Effects: records the store. Requires: `target` is a live object of the heap that `slot` is in, if it is in one.
    FREEHOLD_NOINLINE static void check_store(const void* slot, const void* target, const char* handle) noexcept {
        if (target == nullptr) return;
        if (here.destroying_ == 0) check_object(target, handle);
        const heap* const its = attached_heaps::of_thread().heap_of(target);
        if (its == nullptr) return;
        const heap* const of_slot = attached_heaps::of_thread().heap_of(slot);
        const space_lock held(its->mutex);
        const bool is_dying = here.destroying_ != 0 && !is_alive(*its, target);
        if (of_slot == nullptr || frame_list::frame_at(*of_slot->chunks, slot) != nullptr)
            return its->watch->note(slot, target, is_dying);
        its->watch->renew(slot, target);
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

    // Effects: records that the constructor of an object in these bytes has thrown.
    static void note_unmade(const void* begin, std::size_t bytes, const char* type) noexcept {
        const heap* const its = is_on ? attached_heaps::of_thread().heap_of(begin) : nullptr;
        if (its == nullptr) return;
        const space_lock held(its->mutex);
        its->watch->note_unmade(begin, bytes, type);
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

    // Requires: `its`, the heap of this thread that the address is in, is not null, or that is in no shared heap.
    static void expect_session(const heap* its, const void* address, [[maybe_unused]] const char* type) noexcept {
        [[maybe_unused]] const bool the_thread_has_a_session_of_the_heap =
            its != nullptr || !shared_heaps::have(address);
        FREEHOLD_EXPECTS(
            the_thread_has_a_session_of_the_heap,
            "an object of a shared_traced_heap is used, or a handle to it changed or destroyed, in a thread without a "
            "session of the heap, or in a pause; begin a session first, and reset static handles before it ends",
            type);
    }

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

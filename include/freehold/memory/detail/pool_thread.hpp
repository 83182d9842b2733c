#pragma once
// The heaps of a thread in each resource and in the pool of the process, and how they are abandoned at its end.
//
// Invariant: a heap that a thread holds until its end is in the list of that thread. It leaves the list when the thread
// ends or the resource releases its heaps, whichever takes the registry mutex first. The thread's table of recently
// used heaps may name released heaps, but under an id that is never used again.
//
// A program and a library with hidden symbols each have a record of the same thread. To the heaps these are two
// threads. Every identity that is compared here is the address of an object or an id that is unique across modules.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "../../core/config.hpp"
#include "../../core/platform/thread_local.hpp"
#include "../../core/thread_end.hpp"
#include "pages.hpp"
#include "resource_id.hpp"
#include "slab.hpp"
#include "static_mutex.hpp"
#include "thread_heap.hpp"

namespace freehold::inline v0_2::detail {

// The heaps that one thread abandons at its end.
struct thread_record {
    thread_heap* heaps;  // the first in their list; the mutex of the registry guards it
    thread_record* next_unused;
};

// A record for each thread of the module, and the mutex that orders the end of a thread and the release of a resource.
//
// They are in pages that are never given back: a resource may outlive the library that used one of its heaps. The
// record of a thread stays if no end is reported, as after a fork, or if its last destructors run after it.
class thread_registry : public static_mutex {
public:
    // Returns: the registry of this module, or null if there is no memory.
    [[nodiscard]] static thread_registry* get() noexcept {
        // acquire: pairs with the release below, which publishes the registry
        if (static_mutex* const found = registry_mutex.load(std::memory_order_acquire)) {
            return static_cast<thread_registry*>(found);
        }
        void* const memory = map_pages(page, page);
        if (memory == nullptr) return nullptr;
        {
            const static_lock held(registry_maker);
            if (registry_mutex.load(std::memory_order_relaxed) == nullptr) {  // relaxed: the mutex orders it
                auto* const made = ::new (memory) thread_registry;
                registry_mutex.store(made, std::memory_order_release);  // pairs with the acquires of those who read it
                return made;
            }
        }
        unmap_pages(memory, page);
        return get();
    }

    // Returns: a record without heaps, or null if there is no memory.
    [[nodiscard]] thread_record* take() noexcept {
        const static_lock held(*this);
        if (unused_ != nullptr) return std::exchange(unused_, unused_->next_unused);
        if (fresh_ == end_) {
            fresh_ = static_cast<thread_record*>(map_pages(page, page));
            end_ = fresh_ != nullptr ? fresh_ + page / sizeof(thread_record) : nullptr;
            if (fresh_ == nullptr) return nullptr;
        }
        return ::new (fresh_++) thread_record{};
    }

    // Effects: another thread may take the record. Requires: the mutex is locked, and the record has no heaps.
    void give_back(thread_record* ended) noexcept {
        ended->next_unused = unused_;
        unused_ = ended;
    }

private:
    static constexpr std::size_t page = std::size_t{64} * 1024;  // no system has larger ones
    static_assert(page % sizeof(thread_record) == 0);

    thread_record* unused_ = nullptr;
    thread_record* fresh_ = nullptr;  // records from here on were never handed out
    thread_record* end_ = nullptr;
};

// The calling thread's heap in the pool of a type.
struct typed_heap {
    block_lists* heap = &no_blocks;
    typed_heap* next = nullptr;  // in the thread, once it had a heap
};

// Those of a thread that had a heap; only a hardened program has any.
template <bool is_used>
class typed_heaps {
public:
    void remember(typed_heap& added, thread_heap* heap) noexcept {
        added.heap = heap;
        added.next = std::exchange(first_, &added);
    }

    void forget_all() noexcept {
        for (typed_heap* each = std::exchange(first_, nullptr); each != nullptr; each = each->next) {
            each->heap = &no_blocks;
        }
    }

private:
    typed_heap* first_ = nullptr;
};

template <>
class typed_heaps<false> {
public:
    void forget_all() noexcept {}
};

// Trivially destructible and constant-initialized: see the decision on static thread-local variables.
struct pool_thread {
    struct entry {
        std::uint64_t resource;
        thread_heap* heap;
    };

    entry used_last[table_entries::count];
    thread_registry* registry;  // null until begin()
    thread_record* record;      // likewise
    bool ended;
    [[no_unique_address]] typed_heaps<is_hardened> typed;

    // Effects: prepares the thread to hold heaps until its end. Returns: false if there is no memory for that.
    [[nodiscard]] bool begin() noexcept;

    void remember(thread_heap* heap) noexcept {
        if (heap->resource == process_pool_id) {
            heap_in_process_pool = heap;
        } else {
            used_last[table_entries::of(heap->resource)] = {heap->resource, heap};
        }
    }

    void forget_all() noexcept {
        heap_in_process_pool = &no_blocks;
        for (entry& each : used_last) each = {};
        typed.forget_all();
    }
};

FREEHOLD_STATIC_TLS inline constinit thread_local pool_thread this_pool_thread{};

// Returns: the calling thread's heap in the resource if the table has it, or null.
// Requires: the resource is not the pool of the process, whose heap is heap_in_process_pool.
FREEHOLD_PER_THREAD [[nodiscard]] inline thread_heap* heap_in_table(std::uint64_t resource) noexcept {
    const pool_thread::entry last = this_pool_thread.used_last[table_entries::of(resource)];
    if (last.resource != resource) return nullptr;
    if (last.heap == nullptr) FREEHOLD_UNREACHABLE();
    return last.heap;
}

// Effects: the thread abandons the heap at its end; it is first in its list. Requires: the registry mutex is locked.
inline void enter_thread(thread_heap& heap, pool_thread& thread) noexcept {
    thread_heap*& first = thread.record->heaps;
    heap.next_in_thread = first;
    heap.place_in_thread = &first;
    if (first != nullptr) first->place_in_thread = &heap.next_in_thread;
    first = &heap;
}

// Requires: the heap's registry mutex is locked.
inline void leave_thread(thread_heap& heap) noexcept {
    if (heap.place_in_thread == nullptr) return;
    *heap.place_in_thread = heap.next_in_thread;
    if (heap.next_in_thread != nullptr) heap.next_in_thread->place_in_thread = heap.place_in_thread;
    heap.place_in_thread = nullptr;
}

// Effects: takes the resource's heaps out of all threads' lists. Requires: no thread uses it; some may end.
inline void leave_threads(const heap_list<thread_heap>& heaps) noexcept {
    for (thread_heap* heap = heaps.first(); heap != nullptr; heap = heap->next_in_resource) {
        if (heap->registry == nullptr) continue;
        const static_lock held(*heap->registry);
        leave_thread(*heap);
    }
}

// Returns: the heap of the resource in the list of the thread, or null. Moves it to the front: the next search is fast.
[[nodiscard]] inline thread_heap* find_in_thread(std::uint64_t resource, pool_thread& thread) noexcept {
    const static_lock held(*thread.registry);
    thread_heap* heap = thread.record->heaps;
    while (heap != nullptr && heap->resource != resource) heap = heap->next_in_thread;
    if (heap != nullptr && heap != thread.record->heaps) {
        leave_thread(*heap);
        enter_thread(*heap, thread);
    }
    return heap;
}

// Effects: abandons the thread's heaps, and from now on each heap after the operation that uses it.
inline void end_pool_thread() noexcept {
    pool_thread& thread = this_pool_thread;
    thread.forget_all();
    const static_lock held(*thread.registry);
    thread.ended = true;
    while (thread_heap* const heap = thread.record->heaps) {
        leave_thread(*heap);
        heap->heaps_of_resource.abandon(heap);
    }
    thread.registry->give_back(thread.record);
}

FREEHOLD_COLD FREEHOLD_NOINLINE inline bool pool_thread::begin() noexcept {
    thread_registry* const found = thread_registry::get();
    if (found == nullptr) return false;
    record = found->take();
    if (record == nullptr) return false;
    registry = found;
    // If the end of the thread cannot be noticed, its heaps are held until their resources are released.
    static_cast<void>(thread_end<end_pool_thread>::arm());
    return true;
}

// The calling thread's heap in a resource, found or adopted for one operation. A thread that has ended, whose last
// destructors still allocate and free, abandons it after the operation; any other thread keeps it until its end.
class heap_lease {
public:
    heap_lease(std::uint64_t resource, heap_list<thread_heap>& heaps, static_mutex& mutex) noexcept
        : resource_(resource),
          heaps_(heaps),
          mutex_(mutex),
          is_possible_(this_pool_thread.registry != nullptr || this_pool_thread.begin()) {
        try_again();
    }

    heap_lease(const heap_lease&) = delete;
    heap_lease& operator=(const heap_lease&) = delete;

    ~heap_lease() {
        if (heap_ != nullptr && this_pool_thread.ended) heaps_.abandon(heap_);
    }

    // Returns: false if there is no memory for the thread's record.
    [[nodiscard]] bool is_possible() const noexcept { return is_possible_; }

    // Effects: looks for a heap again, since one may have been added to the list.
    void try_again() noexcept {
        if (!is_possible_) return;
        pool_thread& thread = this_pool_thread;
        if (!thread.ended) heap_ = find_in_thread(resource_, thread);
        if (heap_ == nullptr) {
            heap_ = detail::locked(mutex_, [this] { return heaps_.adopt(); });
            if (heap_ == nullptr) return;
            if (!thread.ended) {
                const static_lock held(*thread.registry);
                heap_->registry = thread.registry;
                enter_thread(*heap_, thread);
            }
        }
        if (!thread.ended) thread.remember(heap_);
    }

    [[nodiscard]] thread_heap* get() const noexcept { return heap_; }

    thread_heap* operator->() const noexcept { return heap_; }

private:
    std::uint64_t resource_;
    heap_list<thread_heap>& heaps_;
    static_mutex& mutex_;
    bool is_possible_;
    thread_heap* heap_ = nullptr;
};

}  // namespace freehold::detail

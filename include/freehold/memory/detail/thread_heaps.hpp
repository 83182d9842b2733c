#pragma once
// The heaps of a thread: which it uses in each resource and in the pool of the process, and what becomes of them at its
// end.
//
// Invariant: a heap that a thread holds, and will hold until its end, is in the list of that thread, and leaves it when
// either the thread ends or the resource lets its heaps go: the registry mutex decides who is first. The thread's table
// of the heaps it used last may name heaps that are gone, but under an id of a resource that is never used again.
//
// A program and a library that keeps its symbols to itself have a record each of one thread. To the heaps these are two
// threads. Every identity that is compared here is that of an object, or a number that no other module has.

#include <cstddef>
#include <cstdint>

#include "../../core/static_tls.hpp"
#include "../../core/thread_end.hpp"
#include "../../core/unique_id.hpp"
#include "heap_list.hpp"
#include "resource_id.hpp"
#include "static_mutex.hpp"
#include "thread_heap.hpp"
#include "thread_registry.hpp"

namespace freehold::detail {

// Trivially destructible and constant-initialised, as the decision on static thread-local variables has it.
struct pool_thread {
    struct entry {
        std::uint64_t resource;
        thread_heap* heap;
    };

    static constexpr std::size_t entries = 8;

    thread_heap* in_process_pool;  // the heap in the pool that needs no id, or null
    entry used_last[entries];      // the entry of a resource is its id modulo their number
    std::uint64_t id;              // thread_heap::nobody until begin()
    thread_registry* registry;     // null until begin()
    thread_record* record;         // likewise
    bool ended;

    // Effects: the thread can hold heaps, until its end. Returns: false if the system has no memory for that.
    [[nodiscard]] bool begin() noexcept;

    void remember(std::uint64_t resource, thread_heap* heap) noexcept {
        if (resource == process_pool_id) {
            in_process_pool = heap;
        } else {
            used_last[resource % entries] = {resource, heap};
        }
    }

    void forget_all() noexcept {
        in_process_pool = nullptr;
        for (entry& each : used_last) each = {};
    }
};

FREEHOLD_STATIC_TLS inline constinit thread_local pool_thread this_pool_thread{};

// Returns: the calling thread's heap in the resource if it is one of those it used last, or null.
[[nodiscard]] inline thread_heap* heap_used_last(std::uint64_t resource) noexcept {
    const pool_thread::entry last = this_pool_thread.used_last[resource % pool_thread::entries];
    if (last.resource != resource) return nullptr;
    if (last.heap == nullptr) __builtin_unreachable();
    return last.heap;
}

// Effects: the thread will abandon the heap at its end.
inline void join_thread(thread_heap& heap, pool_thread& thread) noexcept {
    const static_lock held(*thread.registry);
    heap.registry = thread.registry;
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

// Effects: the resource's heaps belong to no thread any more. Requires: no thread uses the resource; some may end.
inline void leave_threads(const heap_list<thread_heap>& heaps) noexcept {
    for (thread_heap* heap = heaps.first(); heap != nullptr; heap = heap->next_in_resource) {
        if (heap->registry == nullptr) continue;
        const static_lock held(*heap->registry);
        leave_thread(*heap);
    }
}

// Effects: the thread abandons its heaps, and from now on each that it uses, after every operation.
inline void end_pool_thread() noexcept {
    pool_thread& thread = this_pool_thread;
    thread.forget_all();
    const static_lock held(*thread.registry);
    thread.ended = true;
    while (thread_heap* const heap = thread.record->heaps) {
        leave_thread(*heap);
        heap->abandon();
    }
    thread.registry->give_back(thread.record);
}

[[gnu::noinline]] inline bool pool_thread::begin() noexcept {
    registry = thread_registry::get();
    if (registry == nullptr) return false;
    if (record == nullptr) record = registry->take();
    if (record == nullptr) return false;
    id = unique_id();
    if (id == thread_heap::nobody) return false;
    // Where nothing will tell of the thread's end, its heaps are held until their resources end.
    static_cast<void>(thread_end<end_pool_thread>::arm());
    return true;
}

// The calling thread's heap in a resource, found or adopted for one operation. A thread that has ended, whose last
// destructors still allocate and free, abandons it again after that; any other keeps it until its end.
class heap_lease {
public:
    heap_lease(std::uint64_t resource, heap_list<thread_heap>& heaps) noexcept
        : resource_(resource),
          heaps_(heaps),
          is_possible_(this_pool_thread.id != thread_heap::nobody || this_pool_thread.begin()) {
        static_cast<void>(try_again());
    }

    heap_lease(const heap_lease&) = delete;
    heap_lease& operator=(const heap_lease&) = delete;

    ~heap_lease() {
        if (adopted_ && this_pool_thread.ended) heap_->abandon();
    }

    // Returns: false if the system has no memory for what a thread needs to hold a heap.
    [[nodiscard]] bool is_possible() const noexcept { return is_possible_; }

    // Returns: whether there is a heap now, since one may have been added to the list.
    [[nodiscard]] bool try_again() noexcept {
        if (!is_possible_) return false;
        pool_thread& thread = this_pool_thread;
        heap_ = heaps_.held_by(thread.id);
        if (heap_ == nullptr) {
            heap_ = heaps_.adopt(thread.id);
            adopted_ = heap_ != nullptr;
        }
        if (heap_ == nullptr || thread.ended) return heap_ != nullptr;
        if (adopted_) join_thread(*heap_, thread);
        thread.remember(resource_, heap_);
        return true;
    }

    [[nodiscard]] thread_heap* get() const noexcept { return heap_; }

    thread_heap* operator->() const noexcept { return heap_; }

private:
    std::uint64_t resource_;
    heap_list<thread_heap>& heaps_;
    bool is_possible_;
    thread_heap* heap_ = nullptr;
    bool adopted_ = false;
};

}  // namespace freehold::detail

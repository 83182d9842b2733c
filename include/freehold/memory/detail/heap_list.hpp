#pragma once
// heap_list: all heaps of one resource, those that threads hold and those that are abandoned.
//
// Invariant: heaps are added, and not removed while another thread may walk the list, so a walk needs no lock. A heap
// is added only if none is abandoned, so their number is at most that of the threads that used the resource at the same
// time.

#include "thread_heap.hpp"

namespace freehold::detail {

template <class Heap>
class heap_list {
public:
    using thread_id = typename Heap::thread_id;

    // Returns: the heap that the thread holds, or null. Abandoned heaps are held by nobody: a thread that has no id yet
    // must not take one for its own.
    [[nodiscard]] Heap* held_by(thread_id thread) const noexcept {
        if (thread == Heap::nobody) return nullptr;
        for (Heap* heap = first(); heap != nullptr; heap = heap->next_in_resource) {
            if (heap->is_held_by(thread)) return heap;
        }
        return nullptr;
    }

    // Returns: a heap that was abandoned and is the thread's now, or null. Requires: the thread has an id.
    [[nodiscard]] Heap* adopt(thread_id thread) noexcept {
        for (Heap* heap = first(); heap != nullptr; heap = heap->next_in_resource) {
            if (heap->adopt(thread)) return heap;
        }
        return nullptr;
    }

    void add(Heap* heap) noexcept {
        // relaxed: only linked to here
        heap->next_in_resource = first_.load(std::memory_order_relaxed);
        // release: pairs with the acquire of first(), which sees the heap constructed
        while (!first_.compare_exchange_weak(heap->next_in_resource, heap, std::memory_order_release,
                                             std::memory_order_relaxed)) {
        }
    }

    // Effects: moves the blocks of the class from an abandoned heap to `heap`. Requires: the thread holds the heap,
    // which has none. Returns: whether any were found.
    [[nodiscard]] bool borrow(Heap* heap, thread_id thread, std::size_t block_class) noexcept {
        for (Heap* other = first(); other != nullptr; other = other->next_in_resource) {
            if (!other->adopt(thread)) continue;
            const bool found = heap->take_from(*other, block_class);
            other->abandon();
            if (found) return true;
        }
        return false;
    }

    // Returns: the first heap of the list.
    [[nodiscard]] Heap* first() const noexcept {
        // acquire: pairs with the release of add()
        return first_.load(std::memory_order_acquire);
    }

    // Returns: the first heap; the list is empty then. Requires: no other thread uses the resource.
    [[nodiscard]] Heap* take_all() noexcept {
        // relaxed: the caller has synchronized with all other threads
        return first_.exchange(nullptr, std::memory_order_relaxed);
    }

private:
    typename Heap::template atomic<Heap*> first_ = nullptr;
};

}  // namespace freehold::detail

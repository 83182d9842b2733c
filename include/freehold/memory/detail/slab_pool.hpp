#pragma once
// slab_pool: the heaps and slabs of one pool for many threads, and the operations of its slow paths.
//
// The fast paths are those of whoever owns it, who knows how a thread finds its heap there: they take from the heap
// what pop() finds, and push what is at home in it. All else is done here, and works for any block in any thread.
// Upstream has `allocate(bytes, alignment)`, which throws or returns null where it has no memory, and may use the pool
// in turn. No mutex is held while it is called.

#include <cstddef>
#include <cstdint>
#include <new>

#include "heap_list.hpp"
#include "parcel.hpp"
#include "resource_id.hpp"
#include "slab_supply.hpp"
#include "static_mutex.hpp"
#include "thread_heap.hpp"
#include "thread_heaps.hpp"
#include "try_allocate.hpp"

namespace freehold::detail {

class slab_pool {
public:
    using slab = thread_heap::slab_type;

    constexpr slab_pool(std::uint64_t id, const slab_supply& supply) noexcept : id_(id), supply_(supply) {}

    [[nodiscard]] std::uint64_t id() const noexcept { return id_; }

    [[nodiscard]] static_mutex& mutex() const noexcept { return mutex_of(id_); }

    // Returns: the most bytes that are asked of the upstream at once.
    [[nodiscard]] std::size_t largest_chunk() const noexcept { return supply_.largest(); }

    // Returns: a block of the class, or null where the upstream returns that.
    // Throws: what the upstream throws; then nothing has changed.
    template <class Upstream>
    [[nodiscard]] void* find(Upstream& upstream, std::size_t block_class) {
        heap_lease heap(id_, heaps_);
        while (heap.get() == nullptr) {
            void* const memory = upstream.allocate(sizeof(thread_heap), alignof(thread_heap));
            if (memory == nullptr) return nullptr;
            add_heap(memory);
            static_cast<void>(heap.try_again());
        }
        // Whenever the upstream is called it may use this pool in turn, so nothing is remembered from before.
        while (true) {
            if (void* const block = heap->find(block_class)) return block;
            heap->flush();
            if (heaps_.borrow(heap.get(), this_pool_thread.id, block_class)) continue;
            if (slab* const fresh = supply_.take(mutex())) {
                heap->open(fresh, block_class);
            } else if (!supply_.grow(mutex(), upstream)) {
                return nullptr;
            }
        }
    }

    // Effects: sends the block home, or keeps it where that is the thread's heap. Out of line, so that what calls it
    // where the thread has no heap yet is short where it has one.
    template <class Upstream>
    [[gnu::noinline]] void send_home(Upstream& upstream, void* block) noexcept {
        slab* const origin = slab::of(block);
        heap_lease heap(id_, heaps_);
        if (heap.get() == nullptr) {
            if (void* const memory = detail::try_allocate(upstream, sizeof(thread_heap), alignof(thread_heap))) {
                add_heap(memory);
                static_cast<void>(heap.try_again());
            }
        }
        if (heap.get() == nullptr) {
            parcel* const alone = write_parcel(block, {}, {});
            origin->owner->inbox().put(alone, alone);
        } else if (heap.get() == origin->owner) {
            heap->push(block, origin->block_class);
        } else {
            heap->free_remote(block, origin);
        }
    }

    // Effects: sends home the blocks of other threads that the calling thread has freed.
    void flush() noexcept {
        if (thread_heap* const heap = heaps_.held_by(this_pool_thread.id)) heap->flush();
    }

    // Effects: gives all memory back to the upstream; the pool has a new id. Requires: no other thread uses the pool
    // meanwhile; threads may end.
    template <class Upstream>
    void release(Upstream& upstream) noexcept {
        leave_threads(heaps_);
        id_ = next_resource_id();  // so that no thread finds the heap it used last
        thread_heap* heap = heaps_.take_all();
        while (heap != nullptr) {
            thread_heap* const next = heap->next_in_resource;
            upstream.deallocate(heap, sizeof(*heap), alignof(thread_heap));
            heap = next;
        }
        supply_.release(upstream);
    }

private:
    // Effects: makes a heap, which nobody holds yet, in the memory.
    void add_heap(void* memory) noexcept { heaps_.add(::new (memory) thread_heap(thread_heap::nobody)); }

    std::uint64_t id_;
    heap_list<thread_heap> heaps_;
    slab_supply supply_;
};

}  // namespace freehold::detail

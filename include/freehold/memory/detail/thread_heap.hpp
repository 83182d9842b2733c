#pragma once
// A heap, which holds the free blocks of one thread at a time in one resource, and the list of all heaps of a resource.
//
// Invariant: everything but the inbox is touched only by the thread that holds the heap. An abandoned heap is in a list
// of its own: it keeps its blocks, and those that come to its inbox, for the thread that adopts it. A block may lie in
// the list of any heap; the slab says only to which heap it goes when another thread frees it.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/threading.hpp"
#include "heap_samples.hpp"
#include "remote_frees.hpp"
#include "slab.hpp"
#include "slab_heap.hpp"
#include "static_mutex.hpp"

namespace freehold::inline v0_2::detail {

template <class Heap>
class heap_list;

// Threading: core/threading.hpp.
template <class Threading>
class alignas(64) basic_thread_heap : public slab_heap<slab_class> {
public:
    template <class T>
    using atomic = typename Threading::template atomic<T>;

    // Requires: resource_id is the id of the pool that has the list.
    basic_thread_heap(std::uint64_t resource_id, heap_list<basic_thread_heap>& list) noexcept
        : resource(resource_id), heaps_of_resource(list) {}

    // Returns: a block of the class from the list, the inbox or a slab of the heap, or null.
    [[nodiscard]] free_block* find(std::size_t block_class) noexcept {
        receive();
        if (free_block* const block = slab_heap::find(block_class)) return block;
        slab* const empty = pop_empty();
        if (empty == nullptr) return nullptr;
        open(empty, block_class);
        return slab_heap::find(block_class);
    }

    // Effects: serves the class from a slab that is in no heap. Requires: find(block_class) has found nothing.
    void open(slab* fresh, std::size_t block_class) noexcept {
        slab_heap::open(fresh, block_class, this);
        fresh->is_sampled = samples != nullptr ? 1 : 0;
        if (samples != nullptr) [[unlikely]]
            fresh->batch_length = 1;  // so that each free comes to remote_frees::send()
    }

    // Effects: takes over the free blocks of the class in one slab of the other; if it has none, its empty slabs become
    // known. Requires: the caller holds both, and find(block_class) has found nothing. Returns: whether it had any.
    [[nodiscard]] bool take_from(basic_thread_heap& other, std::size_t block_class) noexcept {
        other.receive();
        if (!other.fill(block_class)) {
            other.put_all_aside();
            return false;
        }
        lists_[block_class] = std::exchange(other.lists_[block_class], nullptr);
        return true;
    }

    // Effects: puts all free blocks aside with their slabs, or sends them home, so that empty slabs are known.
    void put_all_aside() noexcept {
        slab_heap::put_all_aside(this, [this](void* block) { free_remote(block, slab::of(block)); });
        flush();
    }

    // Effects: those of slab_heap::discard_idle().
    template <class Discard>
    void discard_idle(std::uint16_t second, Discard discard) noexcept {
        const auto send_home = [this](void* block) { free_remote(block, slab::of(block)); };
        slab_heap::discard_idle(second, this, send_home, discard);
    }

    // Returns: whether the block is known as free here. For checks.
    [[nodiscard]] bool has_free(void* block) const noexcept { return slab_heap::has_free(block, this); }

    // Effects: sends the block of another heap's slab home eventually. Returns: whether all blocks were sent.
    bool free_remote(void* block, slab* origin) noexcept { return remote_.add(block, origin); }

    // Effects: sends the blocks of all other heaps home.
    void flush() noexcept { remote_.flush(); }

    // Effects: takes back the blocks that have come. Complexity: linear in their batches.
    void receive() noexcept {
        block_batch* next = inbox_.take();
        while (next != nullptr) {
            block_batch* const received = next;
            next = received->following();
            arrive(received);
        }
    }

    [[nodiscard]] block_inbox<Threading>& inbox() noexcept { return inbox_; }

    // Effects: a block of a slab that is_sampled is no longer in use. Any thread may call it that has it in hand.
    void end_sampled(const void* block) const noexcept { samples->remove(block); }

    // Of a heap for sampled blocks, which no thread holds for longer than one allocation; null in all others.
    heap_samples* samples = nullptr;

    const std::uint64_t resource;
    heap_list<basic_thread_heap>& heaps_of_resource;
    basic_thread_heap* next_in_resource = nullptr;  // set before the heap is published, never changed
    basic_thread_heap* next_abandoned = nullptr;    // likewise, each time that it is abandoned

    // The mutex of the list of the thread that holds the heap until its end, and the place there; null before.
    static_mutex* registry = nullptr;
    basic_thread_heap* next_in_thread = nullptr;
    basic_thread_heap** place_in_thread = nullptr;

private:
    remote_frees<basic_thread_heap> remote_;

    // On a line of its own: other threads write it.
    alignas(64) block_inbox<Threading> inbox_;
};

using thread_heap = basic_thread_heap<process_threading>;

// All heaps of one resource, and those of them that are abandoned.
//
// Invariant: heaps are added, and not removed while another thread may walk the list. A heap is added only if none is
// abandoned, and a thread holds its own and looks through one other at a time: so their number is at most twice that of
// the threads that used the resource at the same time.
template <class Heap>
class heap_list {
public:
    void add(Heap* heap) noexcept {
        // relaxed: only linked to here
        heap->next_in_resource = first_.load(std::memory_order_relaxed);
        // release: pairs with the acquire of first(), which sees the heap constructed
        while (!first_.compare_exchange_weak(heap->next_in_resource, heap, std::memory_order_release,
                                             std::memory_order_relaxed)) {
        }
    }

    // Effects: leaves the heap, and what it is to send home, to the thread that adopts it. Needs no mutex, since a
    // thread may end while it holds another. Requires: the caller holds the heap.
    void abandon(Heap* heap) noexcept {
        heap->flush();
        // relaxed: only linked to here
        heap->next_abandoned = left_.load(std::memory_order_relaxed);
        // release: pairs with the acquire of adopt(), whose thread reads the heap
        while (!left_.compare_exchange_weak(heap->next_abandoned, heap, std::memory_order_release,
                                            std::memory_order_relaxed)) {
        }
    }

    // Returns: the heap that was abandoned last, now the caller's, or null. Requires: the pool's mutex is locked.
    [[nodiscard]] Heap* adopt() noexcept {
        // acquire, here and below: pairs with the release of abandon(), whose thread wrote the heap
        Heap* found = left_.load(std::memory_order_acquire);
        // A heap leaves the list only under the mutex, so the one after it is still its next.
        while (found != nullptr && !left_.compare_exchange_weak(found, found->next_abandoned, std::memory_order_acquire,
                                                                std::memory_order_acquire)) {
        }
        return found != nullptr ? found : adopt_in_turn();
    }

    // Returns: the same, but all heaps in turn: those that are abandoned again meanwhile come later.
    [[nodiscard]] Heap* adopt_in_turn() noexcept {
        // relaxed, as all of next_: the mutex orders it
        Heap* found = next_.load(std::memory_order_relaxed);
        if (found == nullptr) found = left_.exchange(nullptr, std::memory_order_acquire);
        if (found != nullptr) next_.store(found->next_abandoned, std::memory_order_relaxed);
        return found;
    }

    // Effects: all heaps that are abandoned now come in turn. Returns: their number. Requires: the mutex is locked.
    [[nodiscard]] std::size_t begin_turn() noexcept {
        Heap* first = next_.load(std::memory_order_relaxed);
        std::size_t count = 0;
        for (Heap* each = first; each != nullptr; each = each->next_abandoned) ++count;
        for (Heap* each = left_.exchange(nullptr, std::memory_order_acquire); each != nullptr; ++count) {
            Heap* const later = each->next_abandoned;
            each->next_abandoned = first;
            first = std::exchange(each, later);
        }
        next_.store(first, std::memory_order_relaxed);
        return count;
    }

    // Returns: whether adopt() will find a heap unless another thread is faster.
    [[nodiscard]] bool has_abandoned() const noexcept {
        // relaxed, both: a hint
        return next_.load(std::memory_order_relaxed) != nullptr || left_.load(std::memory_order_relaxed) != nullptr;
    }

    // Returns: the first heap of the list of all.
    [[nodiscard]] Heap* first() const noexcept {
        // acquire: pairs with the release of add()
        return first_.load(std::memory_order_acquire);
    }

    // Returns: the first heap; the lists are empty then. Requires: no other thread uses the resource.
    [[nodiscard]] Heap* take_all() noexcept {
        // relaxed, all: the caller has synchronized with all other threads
        left_.store(nullptr, std::memory_order_relaxed);
        next_.store(nullptr, std::memory_order_relaxed);
        return first_.exchange(nullptr, std::memory_order_relaxed);
    }

private:
    typename Heap::template atomic<Heap*> first_ = nullptr;
    typename Heap::template atomic<Heap*> left_ = nullptr;  // the heap that was abandoned last
    typename Heap::template atomic<Heap*> next_ = nullptr;  // the one that is adopted next; the mutex guards it
};

}  // namespace freehold::detail

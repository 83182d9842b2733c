#pragma once
// A heap, which holds the free blocks of one thread at a time in one resource, and the list of all heaps of a resource.
//
// Invariant: everything but the inbox and the holder is touched only by the thread whose id is the holder. A heap whose
// holder is nobody is abandoned: it keeps its blocks, and those that come to its inbox, for the thread that adopts it.
// A block may lie in the list of any heap; the slab says only to which heap it goes when another thread frees it.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/annotate.hpp"
#include "block_lists.hpp"
#include "remote_frees.hpp"
#include "static_mutex.hpp"

namespace freehold::detail {

template <template <class> class Atomic>
class alignas(64) basic_thread_heap : public block_lists {
public:
    template <class T>
    using atomic = Atomic<T>;

    // Thread ids are never reused, so a thread cannot take the heap of an exited one for its own.
    using thread_id = std::uint64_t;
    static constexpr thread_id nobody = 0;

    explicit basic_thread_heap(thread_id holder) noexcept : holder_(holder) {}

    // Returns: a block of the class from the list, the inbox or a slab that is open, or null.
    [[nodiscard]] free_block* find(std::size_t block_class) noexcept {
        if (lists_[block_class] == nullptr) receive();
        if (lists_[block_class] == nullptr) lists_[block_class] = cut(block_class);
        return pop(block_class);
    }

    // Effects: serves the class from the fresh slab. Requires: find(block_class) has found nothing.
    void open(slab* fresh, std::size_t block_class) noexcept {
        fresh->open(this, block_class);
        fresh_[block_class] = {fresh->begin(), fresh->end()};
    }

    // Effects: takes over what the other has of the class. Requires: the caller holds both, and find(block_class) has
    // found nothing. Returns: whether it had any.
    [[nodiscard]] bool take_from(basic_thread_heap& other, std::size_t block_class) noexcept {
        other.receive();
        lists_[block_class] = std::exchange(other.lists_[block_class], nullptr);
        fresh_[block_class] = std::exchange(other.fresh_[block_class], {});
        return lists_[block_class] != nullptr || fresh_[block_class].begin != fresh_[block_class].end;
    }

    // Effects: sends the block of another heap's slab home eventually.
    void free_remote(void* block, slab* origin) noexcept { remote_.add(block, origin); }

    // Effects: sends the blocks of all other heaps home.
    void flush() noexcept { remote_.flush(); }

    [[nodiscard]] block_inbox<Atomic>& inbox() noexcept { return inbox_; }

    // relaxed: only the thread itself writes its own id
    [[nodiscard]] bool is_held_by(thread_id thread) const noexcept {
        return holder_.load(std::memory_order_relaxed) == thread;
    }

    // Returns: whether the heap was abandoned and is the thread's now.
    [[nodiscard]] bool adopt(thread_id thread) noexcept {
        thread_id expected = nobody;
        // relaxed: spares the compare-exchange where another thread holds the heap
        if (holder_.load(std::memory_order_relaxed) != nobody) return false;
        // acquire: pairs with the release of abandon(), whose thread wrote the lists
        return holder_.compare_exchange_strong(expected, thread, std::memory_order_acquire, std::memory_order_relaxed);
    }

    // Effects: flush(); the heap is left to the thread that adopts it. Requires: the caller holds it.
    void abandon() noexcept {
        flush();
        // release: pairs with the acquire of adopt()
        holder_.store(nobody, std::memory_order_release);
    }

    basic_thread_heap* next_in_resource = nullptr;  // set before the heap is published, never changed

    // The place in the list of a thread's heaps, and the mutex that guards it; null until a thread holds the heap until
    // its end.
    static_mutex* registry = nullptr;
    basic_thread_heap* next_in_thread = nullptr;
    basic_thread_heap** place_in_thread = nullptr;

private:
    // Memory of an open slab that was never handed out: a whole number of blocks.
    struct fresh_blocks {
        std::byte* begin;
        std::byte* end;
    };

    // Effects: sorts the blocks that have come into the lists. Complexity: linear in their number.
    void receive() noexcept {
        block_batch* next = inbox_.take();
        while (next != nullptr) {
            block_batch* const received = next;
            next = read_free(received).next;
            unpack(received, slab::of(received));
        }
    }

    // Effects: puts the blocks of the batch, and of those nested in it, into the list of their class.
    void unpack(block_batch* batch, slab* origin) noexcept {
        const std::size_t nested = read_free(batch).nested;
        const auto nested_batch = [=](std::size_t i) {
            return static_cast<block_batch*>(origin->block_at(read_free(batch->address_of_place(i))));
        };
        // Together, for each lies in the cache of another processor.
        for (std::size_t i = 0; i < nested; ++i) __builtin_prefetch(nested_batch(i), 1);
        push_named(batch, nested, origin);
        for (std::size_t i = 0; i < nested; ++i) {
            push_named(nested_batch(i), 0, origin);
            push(nested_batch(i), origin->block_class);
        }
        push(batch, origin->block_class);
    }

    // Effects: puts the blocks that the batch names, from the first-th on, into the list of their class.
    void push_named(block_batch* batch, std::size_t first, slab* origin) noexcept {
        const std::size_t length = read_free(batch).length;
        const std::size_t block_class = origin->block_class;
        for (std::size_t i = first; i < length; ++i) {
            push(origin->block_at(read_free(batch->address_of_place(i))), block_class);
        }
    }

    // Returns: a list of some blocks from the open slab, or null. In address order: neighbors in the list are neighbors
    // in the cache.
    [[nodiscard]] free_block* cut(std::size_t block_class) noexcept {
        fresh_blocks& fresh = fresh_[block_class];
        if (fresh.begin == fresh.end) return nullptr;
        const std::size_t bytes = slab_class::bytes_of(block_class);
        const std::size_t left = static_cast<std::size_t>(fresh.end - fresh.begin) / bytes;
        std::size_t blocks = detail::min(left, slab::of(fresh.begin)->batch_length);
        std::byte* const begin = std::exchange(fresh.begin, fresh.begin + blocks * bytes);
        free_block* first = nullptr;
        while (blocks > 0) first = detail::set_next(begin + --blocks * bytes, first);
        return first;
    }

    fresh_blocks fresh_[slab_class::count] = {};
    remote_frees<basic_thread_heap> remote_;

    // On a line of its own: other threads write it.
    alignas(64) block_inbox<Atomic> inbox_;
    Atomic<thread_id> holder_;
};

using thread_heap = basic_thread_heap<std::atomic>;

// All heaps of one resource, those that threads hold and those that are abandoned.
//
// Invariant: heaps are added, and not removed while another thread may walk the list, so a walk needs no lock. A heap
// is added only if none is abandoned, so their number is at most that of the threads that used the resource at the same
// time.
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

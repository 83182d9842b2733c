#pragma once
// A heap: the free blocks that one thread at a time holds in one resource.
//
// Invariant: everything but the inbox and the holder is touched only by the thread whose id is the holder. A heap whose
// holder is nobody is abandoned: it keeps its blocks, and those that come to its inbox, for the thread that adopts it.
// A block may lie in the list of any heap; the slab tells only to which one it goes when another frees it.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/annotate.hpp"
#include "block_inbox.hpp"
#include "free_block.hpp"
#include "parcel.hpp"
#include "remote_batches.hpp"
#include "slab.hpp"
#include "slab_class.hpp"
#include "static_mutex.hpp"

namespace freehold::detail {

template <template <class> class Atomic>
class alignas(64) basic_thread_heap {
public:
    using slab_type = slab<basic_thread_heap>;
    template <class T>
    using atomic = Atomic<T>;

    // Thread ids are never reused, so a thread can not take the heap of one that has ended for its own.
    using thread_id = std::uint64_t;
    static constexpr thread_id nobody = 0;

    explicit basic_thread_heap(thread_id holder) noexcept : holder_(holder) {}

    // Returns: a block of the class from the list, or null.
    [[nodiscard]] free_block* pop(std::size_t block_class) noexcept {
        free_block* const block = lists_[block_class];
        if (block != nullptr) [[likely]]
            lists_[block_class] = read_free(block).next;
        return block;
    }

    void push(void* block, std::size_t block_class) noexcept {
        lists_[block_class] = set_next(block, lists_[block_class]);
    }

    // Returns: a block of the class from the list, the inbox or a slab that is open, or null.
    [[nodiscard]] free_block* find(std::size_t block_class) noexcept {
        if (lists_[block_class] == nullptr) receive();
        if (lists_[block_class] == nullptr) lists_[block_class] = cut(block_class);
        return pop(block_class);
    }

    // Effects: serves the class from the fresh slab. Requires: find(block_class) has found nothing.
    void open(slab_type* fresh, std::size_t block_class) noexcept {
        fresh->open(this, block_class);
        rooms_[block_class] = {fresh->begin(), fresh->end()};
    }

    // Effects: takes over what the other has of the class. Requires: the caller holds both, and find(block_class) has
    // found nothing. Returns: whether it had any.
    [[nodiscard]] bool take_from(basic_thread_heap& other, std::size_t block_class) noexcept {
        other.receive();
        lists_[block_class] = std::exchange(other.lists_[block_class], nullptr);
        rooms_[block_class] = std::exchange(other.rooms_[block_class], {});
        return lists_[block_class] != nullptr || rooms_[block_class].begin != rooms_[block_class].end;
    }

    // Effects: sends the block of another heap's slab home, in time.
    void free_remote(void* block, slab_type* origin) noexcept { remote_.add(block, origin); }

    // Effects: sends all blocks of others home.
    void flush() noexcept { remote_.flush(); }

    [[nodiscard]] block_inbox<Atomic>& inbox() noexcept { return inbox_; }

    // relaxed: only the thread itself writes its own id
    [[nodiscard]] bool is_held_by(thread_id thread) const noexcept {
        return holder_.load(std::memory_order_relaxed) == thread;
    }

    // Returns: whether the heap was abandoned and is the thread's now.
    [[nodiscard]] bool adopt(thread_id thread) noexcept {
        thread_id expected = nobody;
        // relaxed: spares the compare-exchange where somebody holds the heap
        if (holder_.load(std::memory_order_relaxed) != nobody) return false;
        // acquire: pairs with the release of abandon(), whose thread wrote the lists
        return holder_.compare_exchange_strong(expected, thread, std::memory_order_acquire, std::memory_order_relaxed);
    }

    // Effects: sends all blocks of others home, and leaves the heap to whoever adopts it. Requires: the caller holds
    // it.
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
    struct room {
        std::byte* begin;
        std::byte* end;
    };

    // Effects: sorts the blocks that have come into the lists. Complexity: linear in their number.
    void receive() noexcept {
        parcel* next = inbox_.take();
        while (next != nullptr) {
            parcel* const opened = next;
            next = read_free(opened).next;
            unpack(opened, slab_type::of(opened));
        }
    }

    // Effects: puts the blocks of the parcel into the list of their class.
    void unpack(parcel* opened, slab_type* home) noexcept {
        const parcel content = read_free(opened);
        const auto block_at = [=](std::size_t i) { return home->block_at(read_free(address_of_place(opened, i))); };
        // All at once, for each lies in the cache of another processor.
        for (std::size_t i = 0; i < content.parcels; ++i) __builtin_prefetch(block_at(i), 1);
        const std::size_t block_class = home->block_class;
        for (std::size_t i = content.parcels; i < content.length; ++i) push(block_at(i), block_class);
        for (std::size_t i = 0; i < content.parcels; ++i) unpack(static_cast<parcel*>(block_at(i)), home);
        push(opened, block_class);
    }

    // Returns: a list of some blocks from the open slab, or null. In address order: neighbours in the list are
    // neighbours in the cache.
    [[nodiscard]] free_block* cut(std::size_t block_class) noexcept {
        room& open = rooms_[block_class];
        if (open.begin == open.end) return nullptr;
        const std::size_t bytes = slab_class::bytes_of(block_class);
        const std::size_t left = static_cast<std::size_t>(open.end - open.begin) / bytes;
        std::size_t blocks = std::min<std::size_t>(left, slab_type::of(open.begin)->batch_length);
        std::byte* const begin = std::exchange(open.begin, open.begin + blocks * bytes);
        free_block* first = nullptr;
        while (blocks > 0) first = set_next(begin + --blocks * bytes, first);
        return first;
    }

    free_block* lists_[slab_class::count] = {};
    room rooms_[slab_class::count] = {};
    remote_batches<basic_thread_heap> remote_;

    // On a line of its own: others write it.
    alignas(64) block_inbox<Atomic> inbox_;
    Atomic<thread_id> holder_;
};

using thread_heap = basic_thread_heap<std::atomic>;

}  // namespace freehold::detail

#pragma once
// How blocks that one thread frees go home to the heap of another: gathered by slab in remote_frees, written down as a
// block_batch, and put into the block_inbox of that heap.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../../core/alignment.hpp"
#include "../../core/config.hpp"
#include "block_batch.hpp"
#include "slab.hpp"

namespace freehold::inline v0_2::detail {

// Where other threads leave the blocks of a heap.
//
// Invariant: a batch that was put is taken exactly once. Threading: core/threading.hpp.
template <class Threading>
class block_inbox {
public:
    // Effects: leaves the batches from `first` to `last`. Any thread may call it. Cost: one compare-exchange.
    void put(block_batch* first, block_batch* last) noexcept {
        // relaxed: only compared and linked to, never followed here
        block_batch* before = first_.load(std::memory_order_relaxed);
        do {
            last->set_next(before);
            // release: pairs with the acquire of take(), which sees what the batches say; those before them are seen
            // through the release sequence that this read-modify-write continues
        } while (!first_.compare_exchange_weak(before, first, std::memory_order_release, std::memory_order_relaxed));
    }

    // Returns: the first of all batches that have come, or null. They are the caller's then.
    [[nodiscard]] block_batch* take() noexcept {
        // relaxed: spares the exchange where nothing has come, and nothing is read through the pointer
        if (first_.load(std::memory_order_relaxed) == nullptr) return nullptr;
        // acquire: pairs with the release of each put()
        return first_.exchange(nullptr, std::memory_order_acquire);
    }

private:
    typename Threading::template atomic<block_batch*> first_ = nullptr;
};

// The blocks of other heaps that one heap has freed and not yet sent home.
//
// Invariant: an entry holds blocks of one slab only, fewer than the slab's batch_length. A block waits for at most
// max_waiting further blocks, and for as long as nobody flushes. It is not touched while it waits.
template <class Heap>
class remote_frees {
public:
    // Effects: sends home a block of `origin`, another heap's slab, eventually. Returns: whether all were sent.
    bool add(void* block, slab* origin) noexcept {
        entry& mine = entries_[reinterpret_cast<std::uintptr_t>(origin) / slab_bytes % entries];
        if (mine.origin != origin) [[unlikely]]
            return add_first(mine, block, origin);
        mine.places[mine.length++] = origin->place_of(block);
        if (++since_flush_ == max_waiting) [[unlikely]] {
            flush();
            return true;
        }
        if (mine.length == origin->batch_length) [[unlikely]]
            send(mine);
        return false;
    }

    // Effects: sends all blocks home. Cost: one compare-exchange for each slab.
    FREEHOLD_NOINLINE void flush() noexcept {
        since_flush_ = 0;
        for (entry& each : entries_) {
            if (each.length != 0) send(each);
        }
    }

private:
    static constexpr std::size_t entries = 64;
    static constexpr std::size_t max_waiting = 256;
    static constexpr std::size_t max_nested = 3;  // what a block of 16 bytes can name; larger ones need fewer

    struct entry {
        slab* origin;
        std::size_t length;
        place_in_slab places[slab::max_batch];
    };

    // Effects: makes the entry the slab's and adds the block. Out of line, as a tail call: add() saves no register.
    FREEHOLD_NOINLINE bool add_first(entry& reused, void* block, slab* origin) noexcept {
        if (reused.length != 0) send(reused);
        reused.origin = origin;
        return add(block, origin);
    }

    // Effects: sends the blocks home in a batch that names blocks and, where these are more than it can name, nested
    // batches; and where even that is too little, in several. Requires: there are blocks.
    FREEHOLD_NOINLINE static void send(entry& sent) noexcept {
        if (sent.origin->is_sampled != 0) [[unlikely]]
            return send_sampled(sent);
        const std::size_t capacity = block_batch::capacity(sent.origin->block_bytes());
        block_batch* first = nullptr;
        block_batch* last = nullptr;
        while (sent.length > 0) {
            const std::size_t before = sent.length;
            void* const block = take(sent);
            // The blocks that are written to are prefetched together: another processor may have their cache lines.
            for (std::size_t left = sent.length; left > capacity; left -= capacity + 1) {
                FREEHOLD_PREFETCH(sent.origin->block_at(sent.places[left - 1]), 1);
            }
            place_in_slab nested[max_nested];
            std::size_t nested_count = 0;
            while (sent.length > capacity - nested_count && nested_count < detail::smaller(capacity, max_nested)) {
                nested[nested_count++] = sent.places[sent.length - 1];
                void* const named = take(sent);
                const place_list inner = take(sent, capacity);
                block_batch::write(named, {}, inner, inner.length + 1);
            }
            const place_list own = take(sent, capacity - nested_count);
            block_batch* const made = block_batch::write(block, {nested, nested_count}, own, before - sent.length);
            if (last == nullptr) last = made;
            made->set_next(first);
            first = made;
        }
        static_cast<Heap*>(sent.origin->home)->inbox().put(first, last);
    }

    // Effects: the same for a sampled block, which is the only one. A tail call: send() calls nothing else, and so
    // needs little of the stack.
    FREEHOLD_COLD FREEHOLD_NOINLINE static void send_sampled(entry& sent) noexcept {
        auto* const home = static_cast<Heap*>(sent.origin->home);
        void* const block = take(sent);
        home->end_sampled(block);
        block_batch* const alone = block_batch::write(block, {}, {}, 1);
        home->inbox().put(alone, alone);
    }

    // Returns: the block that was added last, taken out of the entry.
    static void* take(entry& from) noexcept { return from.origin->block_at(from.places[--from.length]); }

    // Returns: at most n places, taken out of the entry.
    static place_list take(entry& from, std::size_t n) noexcept {
        const std::size_t taken = detail::smaller(from.length, n);
        from.length -= taken;
        return {from.places + from.length, taken};
    }

    entry entries_[entries] = {};
    std::size_t since_flush_ = 0;
};

}  // namespace freehold::detail

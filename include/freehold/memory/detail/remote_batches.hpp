#pragma once
// remote_batches: blocks of other heaps that one heap has freed and not yet sent home.
//
// Invariant: a batch holds blocks of one slab only, fewer than the slab's batch_length. A block waits for at most
// `patience` further blocks, and for as long as nobody flushes. It is not touched while it waits.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "parcel.hpp"
#include "slab.hpp"

namespace freehold::detail {

template <class Heap>
class remote_batches {
public:
    // Effects: sends the block home, in time. It belongs to `origin`, a slab of another heap.
    void add(void* block, slab<Heap>* origin) noexcept {
        batch& mine = batches_[reinterpret_cast<std::uintptr_t>(origin) / slab_bytes % hash_places];
        if (mine.origin != origin) [[unlikely]]
            return add_first(mine, block, origin);
        mine.places[mine.length++] = origin->place_of(block);
        if (++waited_ == patience) [[unlikely]]
            return flush();
        if (mine.length == origin->batch_length) [[unlikely]]
            return send(mine);
    }

    // Effects: sends all blocks home. Cost: one compare-exchange for each batch.
    [[gnu::noinline]] void flush() noexcept {
        waited_ = 0;
        for (batch& each : batches_) send(each);
    }

private:
    static constexpr std::size_t hash_places = 8;
    static constexpr std::size_t patience = 256;
    static constexpr std::size_t most_parcels = 12;  // of blocks of 32 bytes, to name the longest batch

    struct batch {
        slab<Heap>* origin;
        std::size_t length;
        place_in_slab places[slab<Heap>::longest_batch];
    };

    // Effects: makes the batch one of the slab's blocks and adds the block. Out of line, and the last that add() does,
    // so that this need not save registers.
    [[gnu::noinline]] void add_first(batch& reused, void* block, slab<Heap>* origin) noexcept {
        send(reused);
        reused.origin = origin;
        add(block, origin);
    }

    // Effects: sends the batch home, if there is anything in it: a parcel that names blocks and, where these are more
    // than it can name, parcels of others; and where even that is too little, several.
    [[gnu::noinline]] static void send(batch& sent) noexcept {
        if (sent.length == 0) return;
        const std::size_t capacity = parcel::capacity(sent.origin->block_bytes());
        parcel* first = nullptr;
        parcel* last = nullptr;
        while (sent.length > 0) {
            void* const block = take(sent);
            // What is written on is asked for all at once: it may lie in the cache of another processor.
            for (std::size_t left = sent.length; left > capacity; left -= capacity + 1) {
                __builtin_prefetch(sent.origin->block_at(sent.places[left - 1]), 1);
            }
            place_in_slab parcels[most_parcels];
            std::size_t parcel_count = 0;
            while (sent.length > capacity - parcel_count && parcel_count < std::min(capacity, most_parcels)) {
                parcels[parcel_count++] = sent.places[sent.length - 1];
                void* const named = take(sent);
                detail::write_parcel(named, {}, take(sent, capacity));
            }
            parcel* const made =
                detail::write_parcel(block, {parcels, parcel_count}, take(sent, capacity - parcel_count));
            if (last == nullptr) last = made;
            set_next_parcel(made, first);
            first = made;
        }
        sent.origin->owner->inbox().put(first, last);
    }

    // Returns: the block that was added last, taken out of the batch.
    static void* take(batch& from) noexcept { return from.origin->block_at(from.places[--from.length]); }

    // Returns: so many places, or as many as there are, taken out of the batch.
    static place_list take(batch& from, std::size_t most) noexcept {
        const std::size_t taken = std::min(from.length, most);
        from.length -= taken;
        return {from.places + from.length, taken};
    }

    batch batches_[hash_places] = {};
    std::size_t waited_ = 0;
};

}  // namespace freehold::detail

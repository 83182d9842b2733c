#pragma once
// remote_batches: blocks of other heaps that one heap has freed and not yet sent home.
//
// Invariant: a batch holds blocks of one slab only, fewer than the slab's batch_length, as a circular list known by
// its last block. A block waits for at most `patience` further blocks, and for as long as nobody flushes.

#include <cstddef>
#include <cstdint>

#include "../../core/annotate.hpp"
#include "free_block.hpp"
#include "slab.hpp"

namespace freehold::detail {

template <class Heap>
class remote_batches {
public:
    // Effects: sends the block home, in time. It belongs to `origin`, a slab of another heap.
    void add(void* block, slab<Heap>* origin) noexcept {
        batch& mine = batches_[reinterpret_cast<std::uintptr_t>(origin) / slab_bytes % places];
        if (mine.last != nullptr && slab<Heap>::of(mine.last) != origin) send(mine);
        if (mine.last == nullptr) {
            mine.last = set_next(block, static_cast<free_block*>(block));
            mine.length = 0;
        } else {
            set_next(mine.last, set_next(block, read_free(mine.last).next));
        }
        if (++mine.length >= origin->batch_length) send(mine);
        if (++waited_ == patience) flush();
    }

    // Effects: sends all blocks home. Cost: one compare-exchange for each batch.
    void flush() noexcept {
        waited_ = 0;
        for (batch& each : batches_) {
            if (each.last != nullptr) send(each);
        }
    }

private:
    static constexpr std::size_t places = 8;
    static constexpr std::uint32_t patience = 256;

    struct batch {
        free_block* last;
        std::uint32_t length;
    };

    static void send(batch& full) noexcept {
        slab<Heap>::of(full.last)->owner->inbox().put(full.last);
        full.last = nullptr;
    }

    batch batches_[places] = {};
    std::uint32_t waited_ = 0;
};

}  // namespace freehold::detail

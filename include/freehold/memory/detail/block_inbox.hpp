#pragma once
// block_inbox: where other threads leave the blocks of a heap, in batches.
//
// Invariant: a batch is a circular list through `next`, known by its last block; the batches are a list through
// `next_batch` of those. A batch that was put is taken exactly once. Atomic is std::atomic, or what a test counts with.

#include <atomic>

#include "free_block.hpp"

namespace freehold::detail {

template <template <class> class Atomic>
class block_inbox {
public:
    // Effects: leaves the batch that ends with `last`. Any thread may call it. Cost: one compare-exchange.
    void put(free_block* last) noexcept {
        // relaxed: only compared and linked to, never followed here
        free_block* before = last_.load(std::memory_order_relaxed);
        do {
            set_next_batch(last, before);
            // release: pairs with the acquire of take(), which sees the links; those of the batches before it are
            // seen through the release sequence that this read-modify-write continues
        } while (!last_.compare_exchange_weak(before, last, std::memory_order_release, std::memory_order_relaxed));
    }

    // Returns: the last block of the batch that came last, or null. All batches are the caller's then.
    [[nodiscard]] free_block* take() noexcept {
        // relaxed: spares the exchange where nothing has come, and nothing is read through the pointer
        if (last_.load(std::memory_order_relaxed) == nullptr) return nullptr;
        // acquire: pairs with the release of each put()
        return last_.exchange(nullptr, std::memory_order_acquire);
    }

private:
    Atomic<free_block*> last_ = nullptr;
};

}  // namespace freehold::detail

#pragma once
// block_inbox: where other threads leave the blocks of a heap, in parcels.
//
// Invariant: a parcel that was put is taken exactly once. Atomic is std::atomic, or what a test counts with.

#include <atomic>

#include "parcel.hpp"

namespace freehold::detail {

template <template <class> class Atomic>
class block_inbox {
public:
    // Effects: leaves the parcels from `first` to `last`. Any thread may call it. Cost: one compare-exchange.
    void put(parcel* first, parcel* last) noexcept {
        // relaxed: only compared and linked to, never followed here
        parcel* before = first_.load(std::memory_order_relaxed);
        do {
            set_next_parcel(last, before);
            // release: pairs with the acquire of take(), which sees what the parcels say; those before them are seen
            // through the release sequence that this read-modify-write continues
        } while (!first_.compare_exchange_weak(before, first, std::memory_order_release, std::memory_order_relaxed));
    }

    // Returns: the first of all parcels that have come, or null. They are the caller's then.
    [[nodiscard]] parcel* take() noexcept {
        // relaxed: spares the exchange where nothing has come, and nothing is read through the pointer
        if (first_.load(std::memory_order_relaxed) == nullptr) return nullptr;
        // acquire: pairs with the release of each put()
        return first_.exchange(nullptr, std::memory_order_acquire);
    }

private:
    Atomic<parcel*> first_ = nullptr;
};

}  // namespace freehold::detail

#pragma once
// idle_slabs: slabs of one size that nobody uses, in the order in which they became idle.
//
// Invariant: a slab's first bytes hold its links and that moment; what is behind them is marked as free.

#include <chrono>
#include <cstddef>
#include <new>

#include "../../core/annotate.hpp"

namespace freehold::detail {

class idle_slabs {
public:
    using time = std::chrono::steady_clock::time_point;

    // Effects: takes the slab in. Requires: no other became idle later than `now`.
    void push(void* memory, std::size_t bytes, time now) noexcept {
        auto* const added = ::new (memory) idle{newest_, nullptr, now};
        (newest_ != nullptr ? newest_->newer : oldest_) = added;
        newest_ = added;
        annotate_free(added + 1, bytes - sizeof(idle));
    }

    // Returns: the slab that became idle last, which is the warmest, or a null pointer.
    [[nodiscard]] void* pop(std::size_t bytes) noexcept {
        if (newest_ == nullptr) return nullptr;
        idle* const taken = newest_;
        newest_ = taken->older;
        (newest_ != nullptr ? newest_->newer : oldest_) = nullptr;
        annotate_allocated(taken, bytes);
        return taken;
    }

    // Returns: the slab that became idle first, if it did not later than `latest`, or a null pointer.
    [[nodiscard]] void* pop_oldest(std::size_t bytes, time latest) noexcept {
        if (oldest_ == nullptr || oldest_->since > latest) return nullptr;
        idle* const taken = oldest_;
        oldest_ = taken->newer;
        (oldest_ != nullptr ? oldest_->older : newest_) = nullptr;
        annotate_allocated(taken, bytes);
        return taken;
    }

private:
    struct idle {
        idle* older;
        idle* newer;
        time since;
    };

    idle* newest_ = nullptr;
    idle* oldest_ = nullptr;
};

}  // namespace freehold::detail

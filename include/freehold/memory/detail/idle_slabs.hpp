#pragma once
// idle_slabs: slabs of one size that nobody uses, in the order in which they became idle.
//
// Invariant: a slab's first bytes hold its links and that moment; all of it is marked as free but while they are used.

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
        annotate_free(memory, bytes);
        (newest_ != nullptr ? opened(newest_)->newer : oldest_) = added;
        newest_ = added;
    }

    // Returns: the slab that became idle last, which is the warmest, or a null pointer.
    [[nodiscard]] void* pop(std::size_t bytes) noexcept {
        if (newest_ == nullptr) return nullptr;
        idle* const taken = newest_;
        newest_ = opened(taken)->older;
        (newest_ != nullptr ? opened(newest_)->newer : oldest_) = nullptr;
        annotate_allocated(taken, bytes);
        return taken;
    }

    // Returns: the slab that became idle first, if it did not later than `latest`, or a null pointer.
    [[nodiscard]] void* pop_oldest(std::size_t bytes, time latest) noexcept {
        if (oldest_ == nullptr || opened(oldest_)->since > latest) return nullptr;
        idle* const taken = oldest_;
        oldest_ = opened(taken)->newer;
        (oldest_ != nullptr ? opened(oldest_)->older : newest_) = nullptr;
        annotate_allocated(taken, bytes);
        return taken;
    }

private:
    struct idle {
        idle* older;
        idle* newer;
        time since;
    };

    // The links of a slab, which may be read and written for as long as this lives.
    class opened {
    public:
        explicit opened(idle* slab) noexcept : slab_(slab) { annotate_allocated(slab, sizeof(idle)); }
        opened(const opened&) = delete;
        opened& operator=(const opened&) = delete;
        ~opened() { annotate_free(slab_, sizeof(idle)); }

        idle* operator->() const noexcept { return slab_; }

    private:
        idle* slab_;
    };

    idle* newest_ = nullptr;
    idle* oldest_ = nullptr;
};

}  // namespace freehold::detail

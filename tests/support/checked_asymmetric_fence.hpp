#pragma once
// checked_asymmetric_fence: a fence in two halves under the checker, with the kernel's membarrier and without it.
//
// With it, the reader's half orders the compiler alone, and the checker keeps that order anyway. What needs the fence
// only where there is no membarrier is found there, and what needs more than it gives is found here.

#include <atomic>
#include <source_location>

#include "checked_atomic.hpp"

namespace support {

struct checked_asymmetric_fence {
    using place = std::source_location;

    static void light(place where = place::current()) {
        if (!has_membarrier) checked_fence(std::memory_order_seq_cst, where);
    }

    static void heavy(place where = place::current()) {
        if (!has_membarrier) return checked_fence(std::memory_order_seq_cst, where);
        if (execution* const run = execution::mine()) run->fence_in_all_threads(where);
    }

    static inline bool has_membarrier = true;
};

// Without membarrier as long as it lives.
class without_membarrier {
public:
    without_membarrier() { checked_asymmetric_fence::has_membarrier = false; }
    without_membarrier(const without_membarrier&) = delete;
    without_membarrier& operator=(const without_membarrier&) = delete;
    ~without_membarrier() { checked_asymmetric_fence::has_membarrier = true; }
};

}  // namespace support

#pragma once
// shared_pace: how much the objects of a heap that threads share have grown, and whether a collection is due, which
// would stop all sessions. The sessions count their growth here from time to time.

#include <atomic>
#include <cstdint>

#include "cyclic_thread.hpp"

namespace freehold::detail {

// All orders are relaxed: the numbers order nothing.
class shared_pace {
public:
    // Effects: objects of `made` bytes were made, and of `freed` bytes destroyed.
    void count(std::int64_t made, std::int64_t freed) noexcept {
        growth_left_.fetch_sub(made - freed, std::memory_order_relaxed);
        made_left_.fetch_sub(made, std::memory_order_relaxed);
    }

    // Returns: whether a session is to collect. has_candidates: whether it has any that were not looked at.
    [[nodiscard]] bool is_due(bool has_candidates) const noexcept {
        return now().is_due() || is_searching_.load(std::memory_order_relaxed) ||
               (has_candidates && is_scanning_.load(std::memory_order_relaxed));
    }

    [[nodiscard]] search_pace now() const noexcept {
        return {growth_left_.load(std::memory_order_relaxed), made_left_.load(std::memory_order_relaxed)};
    }

    // For a session that has stopped the others.

    void set(search_pace next) noexcept {
        growth_left_.store(next.growth_left, std::memory_order_relaxed);
        made_left_.store(next.made_left, std::memory_order_relaxed);
    }

    // Effects: sets whether a search is in progress, and whether new candidates are looked at.
    void set_work(bool is_searching, bool is_scanning) noexcept {
        is_searching_.store(is_searching, std::memory_order_relaxed);
        is_scanning_.store(is_scanning, std::memory_order_relaxed);
    }

private:
    std::atomic<std::int64_t> growth_left_ = cyclic_thread::min_growth;
    std::atomic<std::int64_t> made_left_ = 16 * cyclic_thread::min_growth;
    std::atomic<bool> is_searching_ = false;
    std::atomic<bool> is_scanning_ = false;
};

}  // namespace freehold::detail

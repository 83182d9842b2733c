#pragma once
// block_budget: the bytes of the blocks of a heap that threads share, and how many they may be.

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace freehold::detail {

class block_budget {
public:
    static constexpr std::size_t no_limit = SIZE_MAX;

    // Effects: sets the limit. Blocks beyond it stay.
    void set_limit(std::size_t bytes) noexcept { limit_.store(bytes, std::memory_order_relaxed); }

    // Effects: counts a block, unless it would exceed the limit. Returns: whether it did. Relaxed, here and below: the
    // numbers order nothing.
    [[nodiscard]] bool take(std::size_t bytes) noexcept {
        const std::size_t before = bytes_.fetch_add(bytes, std::memory_order_relaxed);
        const std::size_t limit = limit_.load(std::memory_order_relaxed);
        if (before <= limit && bytes <= limit - before) return true;
        give_back(bytes);
        return false;
    }

    void give_back(std::size_t bytes) noexcept { bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

private:
    std::atomic<std::size_t> bytes_ = 0;
    std::atomic<std::size_t> limit_ = no_limit;
};

}  // namespace freehold::detail

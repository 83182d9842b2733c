#pragma once
// large_block_counts: how many large blocks begin in each 64 KiB, modulo 4 GiB.
//
// Thread safety: any thread may ask; a mutex guards what changes it. Exceptions: none.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../../core/block_arithmetic.hpp"

namespace freehold::detail {

class large_block_counts {
public:
    void add(const void* block) noexcept {
        const std::uint8_t before = of(block);
        if (before != sticky) count_of(block).store(before + 1, std::memory_order_relaxed);
    }

    void remove(const void* block) noexcept {
        const std::uint8_t before = of(block);
        if (before != sticky) count_of(block).store(before - 1, std::memory_order_relaxed);
    }

    // Returns: 0 only if no large block begins there. Any thread may call it.
    [[nodiscard]] std::uint8_t of(const void* block) const noexcept {
        // relaxed, all: who was handed a block sees that it was counted
        return counts_[index_of(block)].load(std::memory_order_relaxed);
    }

private:
    static constexpr std::size_t size = 65536;
    static constexpr std::uint8_t sticky = UINT8_MAX;

    [[nodiscard]] static std::size_t index_of(const void* block) noexcept {
        return reinterpret_cast<std::uintptr_t>(block) / slab_bytes % size;
    }

    [[nodiscard]] std::atomic<std::uint8_t>& count_of(const void* block) noexcept { return counts_[index_of(block)]; }

    std::atomic<std::uint8_t> counts_[size] = {};
};

}  // namespace freehold::detail

#pragma once
// known_sizes: the sizes of large blocks by their addresses, as far as they are known without a lock. A block that
// takes the place of another in this table makes that one forgotten.
//
// Invariant: an entry has the size of its block. Only the thread that has the block in hand writes and removes it.
//
// Thread safety: any thread. Exceptions: none.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../../core/memcheck.hpp"
#include "../../core/platform/pages.hpp"

namespace freehold::detail {

class known_sizes {
public:
    static constexpr std::size_t largest = (page_granule / 2 - 1) * page_granule;

    // What is known of a block; its size is 0 if that is not known.
    struct known {
        std::size_t bytes;
        bool is_free;
    };

    [[nodiscard]] known of(const void* block) const noexcept {
        // relaxed, all: who was handed a block sees what was noted of it, unless it is forgotten since
        const std::uintptr_t entry = entries_[index_of(block)].load(std::memory_order_relaxed);
        const std::uintptr_t rest = entry - address_of(block);
        if (rest >= page_granule) return {0, false};
        return {rest / 2 * page_granule, rest % 2 != 0};
    }

    // Requires: the calling thread has the block in hand, and bytes <= largest is its size in whole granules.
    void note(const void* block, std::size_t bytes, bool is_free) noexcept {
        const std::uintptr_t rest = bytes / page_granule * 2 + (is_free ? 1 : 0);
        entries_[index_of(block)].store(address_of(block) + rest, std::memory_order_relaxed);
    }

    // Requires: the calling thread has the block in hand.
    void forget(const void* block) noexcept {
        std::atomic<std::uintptr_t>& entry = entries_[index_of(block)];
        // Another block that takes the place in between is forgotten as well.
        if (entry.load(std::memory_order_relaxed) - address_of(block) < page_granule) {
            entry.store(0, std::memory_order_relaxed);
        }
    }

private:
    static constexpr std::size_t count = 4096;

    [[nodiscard]] static std::size_t index_of(const void* block) noexcept {
        const std::uint64_t page = address_of(block) / page_granule;
        return static_cast<std::size_t>(page * 0x9E3779B97F4A7C15U >> 52);
    }
    static_assert(count == std::size_t{1} << (64 - 52));

    std::atomic<std::uintptr_t> entries_[count] = {};
};

}  // namespace freehold::detail

#pragma once
// recent_blocks: large blocks that were freed last, by a thread or by all. Their pages and records stay, for the next
// requests of their size: no lock, and a tenth of the instructions of giving them back and taking others.
//
// Thread safety: one thread at a time, where it does not say otherwise. Exceptions: none.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/config.hpp"
#include "../../core/memcheck.hpp"
#include "../../core/platform/pages.hpp"
#include "idle_pages.hpp"
#include "slab.hpp"

namespace freehold::inline v0_2::detail {

// How many large blocks begin in each 64 KiB, modulo 4 GiB. Any thread may ask; a mutex guards what changes it.
class large_block_counts {
public:
    // Effects: from now on there are `more` blocks more.
    void add(const void* block, int more) noexcept {
        const std::uint8_t before = of(block);
        if (before == sticky) return;
        counts_[index_of(block)].store(static_cast<std::uint8_t>(before + more), std::memory_order_relaxed);
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

    std::atomic<std::uint8_t> counts_[size] = {};
};

// The sizes of large blocks by their addresses, as far as they are known without a lock: a block that takes the place
// of another in this table makes that one forgotten. Any thread may use it.
//
// Invariant: an entry has the size of its block. Only the thread that has the block in hand writes and removes it.
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

// Trivially destructible and constant-initialized: a thread uses it until its last instruction.
class recent_blocks {
public:
    static constexpr std::size_t largest = 64 * page_granule;

    // Keeps at most `most` bytes.
    constexpr explicit recent_blocks(std::size_t most) noexcept : most_held_(most) {}

    // Returns: a block of this size, taken out, or null. Requires: size == idle_pages::rounded(size) <= largest.
    [[nodiscard]] void* take(std::size_t size) noexcept {
        free_block*& first = lists_[idle_pages::class_of(size)];
        free_block* const taken = first;
        if (taken == nullptr) return nullptr;
        first = next_of(taken);
        held_ -= size;
        return taken;
    }

    // Returns: whether the block is kept. Requires: its size is a rounded one, and at most `largest`.
    [[nodiscard]] bool put(void* block, std::size_t size) noexcept {
        if (!has_room(size)) return false;
        held_ += size;
        free_block*& first = lists_[idle_pages::class_of(size)];
        first = detail::set_next(block, first);
        return true;
    }

    [[nodiscard]] bool has_room(std::size_t size) const noexcept { return size <= most_held_ - held_; }

    // Returns: whether begin() comes next.
    [[nodiscard]] bool is_fresh() const noexcept { return is_fresh_; }

    // Effects: at most `most` bytes are kept from now on. Requires: none are.
    void begin(std::size_t most) noexcept {
        is_fresh_ = false;
        most_held_ = most;
    }

    // Effects: calls give(block) for all blocks, which are no longer kept.
    template <class Give>
    void take_all(Give give) noexcept {
        if (held_ == 0) return;
        held_ = 0;
        for (free_block*& first : lists_) {
            while (first != nullptr) give(std::exchange(first, next_of(first)));
        }
    }

    [[nodiscard]] std::size_t bytes() const noexcept { return held_; }

    [[nodiscard]] std::size_t count() const noexcept {
        std::size_t all = 0;
        for (const free_block* first : lists_) {
            for (; first != nullptr; first = next_of(first)) ++all;
        }
        return all;
    }

private:
    free_block* lists_[idle_pages::class_of(largest) + 1] = {};
    std::size_t held_ = 0;  // bytes
    std::size_t most_held_;
    bool is_fresh_ = true;
};

FREEHOLD_STATIC_TLS inline constinit thread_local recent_blocks blocks_of_thread{0};

}  // namespace freehold::detail

#pragma once
// recent_blocks: large blocks that were freed last, by a thread or by all. Their pages and records stay, for the next
// requests of their size: no lock, and a tenth of the instructions of giving them back and taking others.
//
// Thread safety: one thread at a time. Exceptions: none.

#include <cstddef>
#include <utility>

#include "../../core/config.hpp"
#include "../../core/platform/pages.hpp"
#include "idle_pages.hpp"
#include "slab.hpp"

namespace freehold::detail {

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

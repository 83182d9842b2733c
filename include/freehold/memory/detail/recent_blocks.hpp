#pragma once
// recent_blocks: large blocks that were freed last. Their pages and records stay as they are, for the next requests of
// their size: two fifths of the instructions of giving both back and taking them again.
//
// Thread safety: one thread at a time. Exceptions: none.

#include <cstddef>

#include "idle_pages.hpp"
#include "pages.hpp"

namespace freehold::detail {

class recent_blocks {
public:
    // Returns: a block of this size, taken out, or null. Requires: size == idle_pages::rounded(size).
    [[nodiscard]] void* take(std::size_t size) noexcept {
        if (size > largest) return nullptr;
        stack& same = stacks_[idle_pages::class_of(size)];
        if (same.count == 0) return nullptr;
        bytes_ -= size;
        return same.blocks[--same.count];
    }

    // Returns: whether the block is kept. Requires: its size is a rounded one.
    [[nodiscard]] bool put(void* block, std::size_t size) noexcept {
        if (size > largest || bytes_ + size > most_bytes) return false;
        stack& same = stacks_[idle_pages::class_of(size)];
        if (same.count == depth) return false;
        bytes_ += size;
        same.blocks[same.count++] = block;
        return true;
    }

    // Effects: calls give(block) for all blocks, which are no longer kept.
    template <class Give>
    void take_all(Give give) noexcept {
        bytes_ = 0;
        for (stack& each : stacks_) {
            while (each.count > 0) give(each.blocks[--each.count]);
        }
    }

    // Returns: the bytes of the blocks that are kept.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    // Returns: their number.
    [[nodiscard]] std::size_t count() const noexcept {
        std::size_t all = 0;
        for (const stack& each : stacks_) all += each.count;
        return all;
    }

private:
    static constexpr std::size_t largest = 64 * page_granule;
    static constexpr std::size_t most_bytes = 16 * largest;
    static constexpr std::size_t depth = 16;

    struct stack {
        std::size_t count = 0;
        void* blocks[depth] = {};
    };

    stack stacks_[idle_pages::class_of(largest) + 1];
    std::size_t bytes_ = 0;
};

}  // namespace freehold::detail

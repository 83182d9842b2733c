#pragma once
// Destroys what a collection of a traced heap has not marked. The cells need nothing: without a mark they are free.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "../../core/memcheck.hpp"
#include "traced_store.hpp"

namespace freehold::detail {

class traced_sweeper : public traced_store {
protected:
    // What was freed is not used again soon where `keeps_freed`, so that the use of what was not rooted is reported.
    explicit traced_sweeper(bool keeps_freed) noexcept : keeps_freed_(keeps_freed) {}

    [[nodiscard]] bool keeps_freed() const noexcept { return keeps_freed_; }

    // Effects: destroys what is not marked: the young, or everything. Returns: how many objects that were.
    // Destructors may allocate; they get cells in blocks that the sweep does not come to.
    std::size_t sweep(bool full) noexcept {
        std::size_t destroyed = 0;
        for (traced_lane& lane : lanes_) {
            lane.left_at = lane.cell;
            lane.current = lane.blocks.size();
            lane.cell = 0;
        }
        const std::size_t used = used_.size();
        if (full) {
            for (std::size_t i = 0; i < lanes_.size(); ++i) {
                for (std::size_t k = 0; k < lanes_[i].blocks.size(); ++k)
                    destroyed += sweep_block(*lanes_[i].blocks[k]);
            }
        } else {
            for (std::size_t i = 0; i < used; ++i) destroyed += sweep_block(*used_[i]);
        }
        destroyed += sweep_large(full);
        used_.erase(used_.begin(), used_.begin() + static_cast<std::ptrdiff_t>(used));
        for (traced_lane& lane : lanes_) {
            const bool untouched = lane.current == lane.blocks.size();
            if (full) close_empty_blocks(lane);
            if (keeps_freed_ && !lane.blocks.empty()) {
                lane.current = lane.blocks.size() - 1;
                if (untouched) lane.cell = lane.left_at;
            } else {
                lane.current = lane.open;
                lane.cell = 0;
            }
        }
        // A destructor's store may have marked a card in an empty chunk.
        if (stored_.empty()) trim(full);
        return destroyed;
    }

private:
    // Returns: how many objects it has destroyed.
    std::size_t sweep_block(traced_block& block) noexcept {
        const traced_type& type = *block.type;
        if (block.used || block.is_large() || (type.destroy == nullptr && !is_watched())) return 0;
        std::size_t count = 0;
        for (std::size_t word = 0; word < block.words(); ++word) {
            std::uint64_t dead = block.destroyed[word] & ~block.marks[word];
            for (; dead != 0; dead &= dead - 1, ++count) {
                type.destroy(block.cell(word * 64 + static_cast<std::size_t>(std::countr_zero(dead))));
            }
            block.destroyed[word] &= block.marks[word];
            if (is_watched()) {
                for (std::size_t i = word * 64; i < word * 64 + 64 && i < block.cells; ++i) {
                    if (!block.is_marked(i)) tell_free(block.cell(i), type.cell_bytes);
                }
            }
        }
        return count;
    }

    // Returns: how many objects it has destroyed.
    std::size_t sweep_large(bool full) noexcept {
        std::size_t count = 0;
        const std::size_t end = large_.size();
        std::size_t kept = full ? 0 : young_large_;
        for (std::size_t i = kept; i < end; ++i) {
            traced_block& block = *large_[i];
            if (block.is_marked(0)) {
                large_[kept++] = &block;
                continue;
            }
            if (std::exchange(block.destroyed[0], 0) != 0) {
                block.type->destroy(block.begin);
                ++count;
            }
            close_block(block);
        }
        large_.erase(large_.begin() + static_cast<std::ptrdiff_t>(kept),
                     large_.begin() + static_cast<std::ptrdiff_t>(end));
        young_large_ = kept;
        return count;
    }

    void close_empty_blocks(traced_lane& lane) noexcept {
        const traced_block* const kept = keeps_freed_ && !lane.blocks.empty() ? lane.blocks.back() : nullptr;
        std::erase_if(lane.blocks, [this, kept](traced_block* block) {
            if (block->marked != 0 || block->used || block == kept) return false;
            close_block(*block);
            return true;
        });
    }

    const bool keeps_freed_;
    std::size_t young_large_ = 0;  // the first large object that is young
};

}  // namespace freehold::detail

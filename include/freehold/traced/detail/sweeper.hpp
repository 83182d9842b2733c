#pragma once
// sweeper: destroys the unmarked objects of a traced heap, and closes its empty blocks.
//
// A cell without a mark is free, so a sweep only calls destructors. A marking cycle leaves its sweep to later steps:
// blocks whose dead objects have destructors are `unswept` until then, and nothing is allocated there.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/memcheck.hpp"
#include "cell_blocks.hpp"
#include "traced_chunk.hpp"

namespace freehold::inline v0_2::detail {

class sweeper {
public:
    explicit sweeper(cell_blocks& blocks) noexcept : blocks_(blocks) {}

    // Effects: at the end of a marking cycle, the objects that it has reached are the marked ones. The others are dead;
    // sweep_some destroys them, except young ones. What threads that share the heap have reached `is_not_counted` yet.
    // Returns: the number of marks.
    cell_count adopt_reached(bool is_not_counted) noexcept {
        cell_count count;
        blocks_.each_block([&count, is_not_counted](traced_block& block) {
            const std::uint32_t before = block.marked;
            block.adopt_reached();
            if (is_not_counted) block.count_marks();
            count += {block.marked, block.marked * block.type->cell_bytes};
            if (block.used) return;
            block.unswept = block.is_large()
                                ? block.marked == 0
                                : block.marked != before && (block.type->destroy != nullptr || is_memory_checked());
        });
        for (cell_lane& lane : blocks_.lanes) lane.open = 0;
        is_sweeping_ = true;
        swept_lane_ = swept_block_ = 0;
        unswept_large_ = blocks_.young_large;
        return count;
    }

    // Returns: whether a cycle has ended that is not swept yet.
    [[nodiscard]] bool is_sweeping() const noexcept { return is_sweeping_; }

    // Returns: the type of an object whose destructor was not called; null if there is none.
    [[nodiscard]] const traced_type* type_to_destroy() const noexcept {
        const traced_type* found = nullptr;
        blocks_.each_block([&found](const traced_block& block) {
            if (block.type->destroy == nullptr) return;
            for (std::size_t i = 0; i < (block.cells + 63) / 64; ++i) {
                if (block.to_destroy[i] != 0) found = block.type;
            }
        });
        return found;
    }

    // Effects: sweeps blocks, and closes empty ones, until `most` objects are destroyed, or work for as long is done.
    // The destructors may allocate. Returns: the number of destroyed objects.
    std::size_t sweep_some(std::size_t most) noexcept {
        constexpr std::size_t objects_for_a_block = 8;
        std::size_t destroyed = 0;
        for (std::size_t blocks = 0; is_sweeping_ && destroyed + blocks * objects_for_a_block < most; ++blocks) {
            destroyed += sweep_next();
        }
        return destroyed;
    }

    // Effects: destroys the objects that are not marked: the young ones, or all. Their destructors may allocate, and
    // get cells that this sweep does not reach. Returns: the number of destroyed objects.
    std::size_t sweep(bool full) noexcept {
        for (cell_lane& lane : blocks_.lanes) lane.next = lane.blocks.size();
        const std::size_t used = blocks_.used.size();
        const std::size_t large = blocks_.large.size();
        std::size_t destroyed = 0;
        if (full) {
            for (std::size_t i = 0; i < blocks_.lanes.size(); ++i) {
                for (std::size_t k = 0; k < blocks_.lanes[i].blocks.size(); ++k) {
                    traced_block& block = *blocks_.lanes[i].blocks[k];
                    destroyed += sweep(block);
                    if (is_sweeping_) forget_cycle(block);
                }
            }
            is_sweeping_ = false;
        } else {
            for (std::size_t i = 0; i < used; ++i) destroyed += sweep(*blocks_.used[i]);
        }
        destroyed += sweep_large(full, large);
        blocks_.used.erase(0, used);
        for (cell_lane& lane : blocks_.lanes) restart(lane, full);
        return destroyed;
    }

private:
    // Returns: the number of destroyed objects.
    static std::size_t sweep(traced_block& block) noexcept {
        const traced_type& type = *block.type;
        if (block.used || block.is_large() || (type.destroy == nullptr && !is_memory_checked())) return 0;
        std::size_t count = 0;
        for (std::size_t word = 0; word < block.words(); ++word) {
            std::uint64_t dead = block.to_destroy[word] & ~block.marks[word];
            for (; dead != 0; dead &= dead - 1, ++count) {
                type.destroy(block.cell(word * 64 + static_cast<std::size_t>(std::countr_zero(dead))));
            }
            block.to_destroy[word] &= block.marks[word];
            if (!is_memory_checked()) continue;
            for (std::size_t i = word * 64; i < word * 64 + 64 && i < block.cells; ++i) {
                if (!block.is_marked(i)) tell_free(block.cell(i), type.cell_bytes);
            }
        }
        return count;
    }

    static void forget_cycle(traced_block& block) noexcept {
        block.unswept = false;
        block.clear_reached();
    }

    // Effects: sweeps the next block, or closes the empty blocks of a lane. Returns: the number of destroyed objects.
    std::size_t sweep_next() noexcept {
        if (unswept_large_ != 0) return sweep_old_large(--unswept_large_);
        if (swept_lane_ == blocks_.lanes.size()) {
            is_sweeping_ = false;
            return 0;
        }
        if (swept_block_ == blocks_.lanes[swept_lane_].blocks.size()) {
            restart(blocks_.lanes[swept_lane_++], true);
            swept_block_ = 0;
            return 0;
        }
        traced_block& block = *blocks_.lanes[swept_lane_].blocks[swept_block_++];
        const std::size_t destroyed = block.unswept ? sweep(block) : 0;
        forget_cycle(block);
        return destroyed;
    }

    // Effects: destroys the old large object if it is dead. Returns: the number of destroyed objects.
    std::size_t sweep_old_large(std::size_t index) noexcept {
        traced_block& block = *blocks_.large[index];
        if (block.is_marked(0)) return 0;
        blocks_.large[index] = blocks_.large[--blocks_.young_large];
        blocks_.large[blocks_.young_large] = blocks_.large.pop();
        return close_large(block);
    }

    // Effects: destroys a large object that is in no list. Returns: the number of destroyed objects.
    std::size_t close_large(traced_block& block) noexcept {
        const bool destroyed = std::exchange(block.to_destroy[0], 0) != 0;
        if (destroyed) block.type->destroy(block.begin);
        blocks_.chunks.close(block);
        return destroyed ? 1 : 0;
    }

    // Effects: sweeps the large objects up to index `end`. Returns: the number of destroyed objects.
    std::size_t sweep_large(bool full, std::size_t end) noexcept {
        std::size_t count = 0;
        std::size_t kept = full ? 0 : blocks_.young_large;
        for (std::size_t i = kept; i < end; ++i) {
            traced_block& block = *blocks_.large[i];
            if (!block.is_marked(0)) {
                count += close_large(block);
                continue;
            }
            if (full) forget_cycle(block);
            blocks_.large[kept++] = &block;
        }
        blocks_.large.erase(kept, end);
        blocks_.young_large = kept;
        return count;
    }

    // Effects: after a sweep, closes the empty blocks if it was a full one, and sets where the search for runs begins.
    void restart(cell_lane& lane, bool full) noexcept {
        const bool goes_on = blocks_.keeps_freed && !lane.blocks.empty();
        if (full) {
            const traced_block* const kept = goes_on ? lane.blocks.back() : nullptr;
            std::size_t left = 0;
            for (traced_block* const block : lane.blocks) {
                if (block->marked == 0 && !block->used && !block->unswept && block != kept) {
                    blocks_.chunks.close(*block);
                } else {
                    lane.blocks[left++] = block;
                }
            }
            lane.blocks.truncate(left);
        }
        lane.next = goes_on ? lane.blocks.size() - 1 : lane.open;
        if (!goes_on) lane.cell = 0;
    }

    cell_blocks& blocks_;
    bool is_sweeping_ = false;       // after a cycle: what follows is swept next
    std::size_t swept_lane_ = 0;     // the blocks before this lane
    std::size_t swept_block_ = 0;    // and this block of it are swept
    std::size_t unswept_large_ = 0;  // large objects from this one on are swept, unless they are young
};

}  // namespace freehold::detail

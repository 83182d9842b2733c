#pragma once
// cell_blocks: the blocks of a traced heap, by the type of their objects, and the marks in them.
//
// Each type has a lane. There is no free list: a cell without a mark is free. cell_allocator hands out the free cells,
// and sweeper destroys what dies in the others.

#include <cstddef>
#include <utility>

#include "../../core/growing_buffer.hpp"
#include "chunk_table.hpp"
#include "helped_gray.hpp"
#include "traced_chunk.hpp"

namespace freehold::inline v0_2::detail {

struct cell_lane {
    const traced_type* type = nullptr;
    growing_buffer<traced_block*> blocks;
    std::size_t open = 0;  // the blocks before this one are too full to be searched, until all marks are cleared
    std::size_t next = 0;  // this one is the next to be searched for runs,
    std::size_t cell = 0;  // from this cell on
};

struct cell_count {
    std::size_t objects = 0;
    std::size_t bytes = 0;

    cell_count& operator+=(const cell_count& other) noexcept {
        objects += other.objects;
        bytes += other.bytes;
        return *this;
    }

    cell_count operator-(const cell_count& other) const noexcept {
        return {objects - other.objects, bytes - other.bytes};
    }
};

class cell_blocks {
public:
    // With `late_reuse` a free cell is reused late, so that the use of a freed object is reported.
    cell_blocks(chunk_table& from, marking_cycle& its_cycle, bool late_reuse) noexcept
        : chunks(from), cycle(its_cycle), keeps_freed(late_reuse) {}

    ~cell_blocks() {
        for (cell_lane& lane : lanes) lane.blocks.release();
    }

    // Effects: calls use(block) for each block.
    template <class Use>
    void each_block(Use use) const {
        for (const cell_lane& lane : lanes) {
            for (traced_block* const block : lane.blocks) use(*block);
        }
        for (traced_block* const block : large) use(*block);
    }

    // Effects: calls use(type, object) for each marked object of the wanted types. `use` may mark others.
    template <class IsWanted, class Use>
    void each_marked(IsWanted is_wanted, Use use) const {
        each_block([&](const traced_block& block) {
            if (!is_wanted(*block.type)) return;
            for (std::size_t i = 0; i < block.cells; ++i) {
                if (block.is_marked(i)) use(*block.type, block.cell(i));
            }
        });
    }

    // Effects: clears all marks, so that every object counts as young.
    void clear_marks() noexcept {
        each_block([](traced_block& block) { block.unmark_all(); });
        for (cell_lane& lane : lanes) lane.open = 0;
    }

    // Effects: marks all young objects.
    void mark_young() noexcept {
        for (traced_block* const block : used) block->mark_taken();
    }

    // Effects: from now on, `used` blocks are those that are allocated from after this.
    void forget_use() noexcept {
        for (traced_block* const block : used) {
            block->used = false;
            block->taken_begin = block->taken_end = 0;
            traced_chunk::clean_cards(*block);
        }
    }

    // Returns: the number of marks. Unless `full`, in the blocks that were used since the last collection, where all
    // young objects are.
    [[nodiscard]] cell_count marked(bool full) const noexcept {
        cell_count count;
        const auto add = [&count](const traced_block& block) {
            count += {block.marked, block.marked * block.type->cell_bytes};
        };
        if (full) {
            each_block(add);
        } else {
            for (const traced_block* const block : used) add(*block);
        }
        return count;
    }

    // Effects: sets the number of marks, after several threads have marked: in all blocks if `full`, else in those that
    // were used since the last collection.
    void count_marks(bool full) const noexcept {
        if (full) return each_block([](traced_block& block) { block.count_marks(); });
        for (traced_block* const block : used) block->count_marks();
    }

    // Effects: forgets what a cycle has reached that did not end.
    void clear_reached() const noexcept {
        each_block([](traced_block& block) { block.clear_reached(); });
    }

    // Effects: notes that the block is allocated from.
    void use(traced_block& block) noexcept {
        if (!std::exchange(block.used, true)) used.add(&block);
    }

    chunk_table& chunks;
    marking_cycle& cycle;
    const bool keeps_freed;
    growing_list<cell_lane> lanes;  // by the index of their types; some may have no type
    growing_list<traced_block*> large;
    std::size_t young_large = 0;       // the index of the first one that is young
    growing_list<traced_block*> used;  // since the last collection; has capacity for all blocks, before and in a sweep
};

}  // namespace freehold::detail

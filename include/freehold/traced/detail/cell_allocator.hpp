#pragma once
// Where the cells of a traced heap come from, and how they become free.
//
// Each type has a lane: its blocks, and a run of neighboring cells without a mark, which are handed out by addition.
// There is no free list. A cell without a mark is free, so a sweep only calls destructors.
//
// A marking cycle leaves its sweep to later steps: blocks whose dead objects have destructors are `unswept` until then,
// and nothing is allocated there.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../../core/alignment.hpp"
#include "../../core/memcheck.hpp"
#include "chunk_table.hpp"
#include "collection_pacer.hpp"
#include "traced_chunk.hpp"

namespace freehold::detail {

// Cells that are free to be handed out.
struct cell_run {
    std::byte* begin = nullptr;
    std::byte* end = nullptr;
};

struct cell_lane {
    const traced_type* type = nullptr;
    std::vector<traced_block*> blocks;
    std::size_t open = 0;     // the blocks before this one are too full to be searched, until all marks are cleared
    std::size_t current = 0;  // the search for the next run goes on in this block,
    std::size_t cell = 0;     // from this cell
    std::size_t cell_before_sweep = 0;
    std::size_t run_bytes = 0;  // of the current run, when it was found
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

class cell_allocator {
public:
    // With `keeps_freed` a free cell is reused late, so that the use of a freed object is reported.
    cell_allocator(chunk_table& chunks, bool keeps_freed) noexcept : chunks_(chunks), keeps_freed_(keeps_freed) {}
    cell_allocator(const cell_allocator&) = delete;
    cell_allocator& operator=(const cell_allocator&) = delete;

    // The current runs by the index of their types. traced_heap::make takes its cells here.
    cell_run* runs = nullptr;
    std::size_t run_count = 0;

    // Returns: a cell for an object of the type, and sets its next run, of at most max_run cells. Effects: counts
    // used-up runs in `pacer`. Throws: std::bad_alloc; then nothing has changed.
    [[nodiscard]] std::byte* take(std::size_t index, const traced_type& type, collection_pacer& pacer,
                                  std::size_t max_run) {
        if (type.cell_bytes > traced_chunk::max_cell_bytes) {
            std::byte* const object = add_large(type);
            if (is_memcheck()) tell_allocated(object, type.cell_bytes);
            pacer.count_young(type.cell_bytes);
            return object;
        }
        if (lanes_.size() <= index) {
            if (run_count <= index) reserve_runs(index);
            lanes_.resize(index + 1);
        }
        cell_lane& lane = lanes_[index];
        lane.type = &type;
        cell_run& run = runs[index];
        pacer.count_young(std::exchange(lane.run_bytes, 0));
        if (keeps_freed_) max_run = 1;
        if (!find_run(lane, run, max_run)) {
            add_block(lane);
            static_cast<void>(find_run(lane, run, max_run));
        }
        lane.run_bytes = static_cast<std::size_t>(run.end - run.begin);
        if (is_memcheck()) tell_allocated(run.begin, lane.run_bytes);
        return std::exchange(run.begin, run.begin + type.cell_bytes);
    }

    // Effects: no run is in use any more.
    void stop_runs() noexcept {
        for (cell_run& run : run_memory_) {
            if (run.begin == run.end) continue;
            traced_block& block = traced_chunk::block_of(run.begin);
            block.taken_end = static_cast<std::uint16_t>(block.index_of(run.begin));
            run = {};
        }
        for (cell_lane& lane : lanes_) lane.run_bytes = 0;
    }

    // Effects: each run ends, and its cells are the next to be handed out.
    void return_runs() noexcept {
        for (std::size_t i = 0; i < run_count && i < lanes_.size(); ++i) {
            if (runs[i].begin == runs[i].end) continue;
            lanes_[i].run_bytes -= static_cast<std::size_t>(runs[i].end - runs[i].begin);
            shorten(lanes_[i], runs[i], 0);
        }
    }

    // Returns: the number of cells in the current run of the type.
    [[nodiscard]] std::size_t cells_left(std::size_t index, const traced_type& type) const noexcept {
        return index < run_count ? static_cast<std::size_t>(runs[index].end - runs[index].begin) / type.cell_bytes : 0;
    }

    // Effects: calls use(block) for each block.
    template <class Use>
    void each_block(Use use) const {
        for (const cell_lane& lane : lanes_) {
            for (traced_block* const block : lane.blocks) use(*block);
        }
        for (traced_block* const block : large_) use(*block);
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
        for (cell_lane& lane : lanes_) lane.open = 0;
    }

    // Effects: marks all young objects.
    void mark_young() noexcept {
        for (traced_block* const block : used_) block->mark_taken();
    }

    // Effects: from now on, `used` blocks are those that are allocated from after this.
    void forget_use() noexcept {
        for (traced_block* const block : used_) {
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
            for (const traced_block* const block : used_) add(*block);
        }
        return count;
    }

    // Effects: at the end of a marking cycle, the objects that it has reached are the marked ones. The others are dead;
    // sweep_some destroys them, except young ones. Returns: the number of marks.
    cell_count adopt_reached() noexcept {
        cell_count count;
        each_block([&count](traced_block& block) {
            const std::uint32_t before = block.marked;
            block.adopt_reached();
            count += {block.marked, block.marked * block.type->cell_bytes};
            if (block.used) return;
            block.unswept = block.is_large()
                                ? block.marked == 0
                                : block.marked != before && (block.type->destroy != nullptr || is_watched());
        });
        for (cell_lane& lane : lanes_) lane.open = 0;
        is_sweeping_ = true;
        swept_lane_ = swept_block_ = 0;
        unswept_large_ = young_large_;
        return count;
    }

    // Returns: whether a cycle has ended that is not swept yet.
    [[nodiscard]] bool is_sweeping() const noexcept { return is_sweeping_; }

    // Returns: the type of an object whose destructor was not called; null if there is none.
    [[nodiscard]] const traced_type* type_to_destroy() const noexcept {
        const traced_type* found = nullptr;
        each_block([&found](const traced_block& block) {
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

    // Effects: sets the number of marks, after several threads have marked.
    void count_marks() const noexcept {
        each_block([](traced_block& block) { block.count_marks(); });
    }

    // Effects: forgets what a cycle has reached that did not end.
    void clear_reached() const noexcept {
        each_block([](traced_block& block) { block.clear_reached(); });
    }

    // Effects: destroys the objects that are not marked: the young ones, or all. Their destructors may allocate, and
    // get cells that this sweep does not reach. Returns: the number of destroyed objects.
    std::size_t sweep(bool full) noexcept {
        for (cell_lane& lane : lanes_) {
            lane.cell_before_sweep = lane.cell;
            lane.current = lane.blocks.size();
            lane.cell = 0;
        }
        const std::size_t used = used_.size();
        std::size_t destroyed = 0;
        if (full) {
            for (std::size_t i = 0; i < lanes_.size(); ++i) {
                for (std::size_t k = 0; k < lanes_[i].blocks.size(); ++k) {
                    traced_block& block = *lanes_[i].blocks[k];
                    destroyed += sweep(block);
                    if (is_sweeping_) forget_cycle(block);
                }
            }
            is_sweeping_ = false;
        } else {
            for (std::size_t i = 0; i < used; ++i) destroyed += sweep(*used_[i]);
        }
        destroyed += sweep_large(full);
        used_.erase(used_.begin(), used_.begin() + static_cast<std::ptrdiff_t>(used));
        for (cell_lane& lane : lanes_) restart(lane, full);
        return destroyed;
    }

private:
    // Returns: whether a memory checker must know the free cells.
    [[nodiscard]] static bool is_watched() noexcept {
#ifdef FREEHOLD_ADDRESS_SANITIZER
        return true;
#else
        return is_memcheck();
#endif
    }

    void reserve_runs(std::size_t index) {
        run_memory_.resize(std::bit_ceil(index + 1));
        runs = run_memory_.data();
        run_count = run_memory_.size();
    }

    // Effects: sets the next run of the lane. Returns: false if its blocks have none.
    [[nodiscard]] bool find_run(cell_lane& lane, cell_run& run, std::size_t most) noexcept {
        for (; lane.current < lane.blocks.size(); ++lane.current, lane.cell = 0) {
            traced_block& block = *lane.blocks[lane.current];
            // The destructors of the last sweep have made objects in this block.
            if (block.unswept || (lane.cell == 0 && block.used)) continue;
            // Less than an eighth is free: not worth a search.
            if (lane.cell == 0 && std::size_t{block.marked} * 8 > std::size_t{block.cells} * 7) {
                if (lane.current == lane.open) ++lane.open;
                continue;
            }
            const std::size_t first = next_cell(block, lane.cell, true);
            if (first == block.cells) continue;
            lane.cell = first + detail::smaller(next_cell(block, first, false) - first, most);
            run = {block.cell(first), block.cell(lane.cell)};
            block.take(first, lane.cell);
            use(block);
            freshen_cards(run);
            return true;
        }
        return false;
    }

    // Effects: only the first `count` cells of the lane's current run are handed out. The search goes on behind them,
    // but if a sweep has set it to another block: the destructors of that sweep may have begun the run.
    static void shorten(cell_lane& lane, cell_run& run, std::size_t count) noexcept {
        traced_block& block = traced_chunk::block_of(run.begin);
        const std::size_t end = block.index_of(run.begin) + count;
        block.taken_end = static_cast<std::uint16_t>(end);
        run.end = run.begin + count * block.type->cell_bytes;
        if (lane.current < lane.blocks.size() && lane.blocks[lane.current] == &block) lane.cell = end;
    }

    // Returns: the first cell from `index` on that is free, or that is not; block.cells if there is none.
    [[nodiscard]] static std::size_t next_cell(const traced_block& block, std::size_t index, bool free) noexcept {
        while (index < block.cells) {
            const std::uint64_t word = block.unoccupied(index / 64);
            const std::uint64_t rest = (free ? word : ~word) >> index % 64;
            if (rest != 0) {
                index += static_cast<std::size_t>(std::countr_zero(rest));
                break;
            }
            index = (index / 64 + 1) * 64;
        }
        return detail::smaller(index, block.cells);
    }

    // Effects: marks the cards that hold nothing but new objects of the run: stores there need not be remembered.
    static void freshen_cards(const cell_run& run) noexcept {
        const auto begin = round_up(std::bit_cast<std::uintptr_t>(run.begin), traced_chunk::card_bytes);
        const auto end = std::bit_cast<std::uintptr_t>(run.end) / traced_chunk::card_bytes * traced_chunk::card_bytes;
        traced_chunk::set_cards(begin, end, traced_chunk::fresh);
    }

    // Effects: adds a block to the lane, where the search goes on. Throws: std::bad_alloc; then nothing has changed.
    void add_block(cell_lane& lane) {
        reserve_one(lane.blocks);
        lane.blocks.push_back(&open_block(*lane.type));
        lane.current = lane.blocks.size() - 1;
        lane.cell = 0;
    }

    // Returns: the place of a new large object. Throws: std::bad_alloc; then nothing has changed.
    [[nodiscard]] std::byte* add_large(const traced_type& type) {
        reserve_one(large_);
        traced_block& block = open_block(type);
        large_.push_back(&block);
        use(block);
        return block.begin;
    }

    static void reserve_one(std::vector<traced_block*>& blocks) {
        if (blocks.size() == blocks.capacity()) blocks.reserve(detail::larger(16, blocks.size() * 2));
    }

    [[nodiscard]] traced_block& open_block(const traced_type& type) {
        used_.reserve(2 * std::bit_ceil(chunks_.size() + 1) * traced_chunk::max_blocks);
        return chunks_.open(type);
    }

    void use(traced_block& block) noexcept {
        if (!std::exchange(block.used, true)) used_.push_back(&block);
    }

    // Returns: the number of destroyed objects.
    static std::size_t sweep(traced_block& block) noexcept {
        const traced_type& type = *block.type;
        if (block.used || block.is_large() || (type.destroy == nullptr && !is_watched())) return 0;
        std::size_t count = 0;
        for (std::size_t word = 0; word < block.words(); ++word) {
            std::uint64_t dead = block.to_destroy[word] & ~block.marks[word];
            for (; dead != 0; dead &= dead - 1, ++count) {
                type.destroy(block.cell(word * 64 + static_cast<std::size_t>(std::countr_zero(dead))));
            }
            block.to_destroy[word] &= block.marks[word];
            if (!is_watched()) continue;
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
        if (swept_lane_ == lanes_.size()) {
            is_sweeping_ = false;
            return 0;
        }
        if (swept_block_ == lanes_[swept_lane_].blocks.size()) {
            restart(lanes_[swept_lane_++], true);
            swept_block_ = 0;
            return 0;
        }
        traced_block& block = *lanes_[swept_lane_].blocks[swept_block_++];
        const std::size_t destroyed = block.unswept ? sweep(block) : 0;
        forget_cycle(block);
        return destroyed;
    }

    // Effects: destroys the old large object if it is dead. Returns: the number of destroyed objects.
    std::size_t sweep_old_large(std::size_t index) noexcept {
        traced_block& block = *large_[index];
        if (block.is_marked(0)) return 0;
        large_[index] = large_[--young_large_];
        large_[young_large_] = large_.back();
        large_.pop_back();
        return close_large(block);
    }

    // Effects: destroys a large object that is in no list. Returns: the number of destroyed objects.
    std::size_t close_large(traced_block& block) noexcept {
        const bool destroyed = std::exchange(block.to_destroy[0], 0) != 0;
        if (destroyed) block.type->destroy(block.begin);
        chunks_.close(block);
        return destroyed ? 1 : 0;
    }

    // Returns: the number of destroyed objects.
    std::size_t sweep_large(bool full) noexcept {
        std::size_t count = 0;
        const std::size_t end = large_.size();
        std::size_t kept = full ? 0 : young_large_;
        for (std::size_t i = kept; i < end; ++i) {
            traced_block& block = *large_[i];
            if (!block.is_marked(0)) {
                count += close_large(block);
                continue;
            }
            if (full) forget_cycle(block);
            large_[kept++] = &block;
        }
        large_.erase(large_.begin() + static_cast<std::ptrdiff_t>(kept),
                     large_.begin() + static_cast<std::ptrdiff_t>(end));
        young_large_ = kept;
        return count;
    }

    // Effects: after a sweep, closes the empty blocks if it was a full one, and sets where the search for runs begins.
    void restart(cell_lane& lane, bool full) noexcept {
        const bool untouched = lane.current == lane.blocks.size();  // by destructors
        const bool goes_on = keeps_freed_ && !lane.blocks.empty();
        if (full) {
            const traced_block* const kept = goes_on ? lane.blocks.back() : nullptr;
            std::size_t left = 0;
            for (traced_block* const block : lane.blocks) {
                if (block->marked == 0 && !block->used && !block->unswept && block != kept) {
                    chunks_.close(*block);
                } else {
                    lane.blocks[left++] = block;
                }
            }
            while (lane.blocks.size() != left) lane.blocks.pop_back();
        }
        if (!goes_on) {
            lane.current = lane.open;
            lane.cell = 0;
            return;
        }
        lane.current = lane.blocks.size() - 1;
        if (untouched) lane.cell = lane.cell_before_sweep;
    }

    chunk_table& chunks_;
    const bool keeps_freed_;
    std::vector<cell_run> run_memory_;
    std::vector<cell_lane> lanes_;  // by the index of their types; some may have no type
    std::vector<traced_block*> large_;
    std::size_t young_large_ = 0;      // the index of the first one that is young
    bool is_sweeping_ = false;         // after a cycle: what follows is swept next
    std::size_t swept_lane_ = 0;       // the blocks before this lane
    std::size_t swept_block_ = 0;      // and this block of it are swept
    std::size_t unswept_large_ = 0;    // large objects from this one on are swept, unless they are young
    std::vector<traced_block*> used_;  // since the last collection; has capacity for all blocks, before and in a sweep
};

}  // namespace freehold::detail

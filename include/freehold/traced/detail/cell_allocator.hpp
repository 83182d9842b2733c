#pragma once
// cell_allocator: hands out the cells of a traced heap.
//
// Each type has a run of neighboring free cells, which are handed out by addition. Runs are found in the block that the
// allocator has taken from the type's lane, until the next collection: nobody else allocates there.

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/config.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/growing_buffer.hpp"
#include "../../core/memcheck.hpp"
#include "../../core/platform/atomic_ref.hpp"
#include "cell_blocks.hpp"
#include "collection_pacer.hpp"
#include "traced_chunk.hpp"

namespace freehold::inline v0_2::detail {

// Cells that are free to be handed out.
struct cell_run {
    std::byte* begin = nullptr;
    std::byte* end = nullptr;
};

// Where an allocator finds its runs of a type.
struct cell_search {
    traced_block* block = nullptr;  // null if it must take one
    std::size_t cell = 0;           // the search goes on here
    std::size_t run_bytes = 0;      // of the runs that the pacer has not counted
};

class cell_allocator {
public:
    explicit cell_allocator(cell_blocks& blocks) noexcept : blocks_(blocks) {}

    // Returns: the next cell of the type's current run; slowly() if it has none, or another thread has closed this.
    template <bool is_shared, class Slowly>
    FREEHOLD_ALWAYS_INLINE void* take_from_run(std::size_t index, std::size_t cell_bytes, Slowly slowly) {
        // An atomic load is an instruction of its own.
        const std::size_t count = is_shared ? atomic_ref<std::size_t>(run_count_).load(std::memory_order_relaxed)
                                            : run_count_;  // only a number
        if (index < count) [[likely]] {
            cell_run& run = runs_[index];
            std::byte* const cell = run.begin;
            if (cell != run.end) [[likely]] {
                run.begin = cell + cell_bytes;
                return cell;
            }
        }
        return slowly();
    }

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
        if (searches_.size() <= index) reserve_runs(index);
        if (blocks_.lanes.size() <= index && !blocks_.lanes.extend(index + 1)) raise<std::bad_alloc>();
        cell_lane& lane = blocks_.lanes[index];
        lane.type = &type;
        cell_run& run = runs_[index];
        // A destructor of the collection before has found it, or another thread had closed this.
        if (run.begin != run.end) return std::exchange(run.begin, run.begin + type.cell_bytes);
        cell_search& search = searches_[index];
        pacer.count_young(std::exchange(search.run_bytes, 0));
        if (blocks_.keeps_freed) max_run = 1;
        if (!find_run(lane, search, run, max_run)) {
            add_block(lane);
            static_cast<void>(find_run(lane, search, run, max_run));
        }
        return begin_run(search, run, type);
    }

    // Returns: the same, of another run in the block of the last one: it uses nothing that other threads do. A null
    // pointer if there is none, another thread has closed this, or the pacer has not counted as many bytes.
    [[nodiscard]] std::byte* take_from_block(std::size_t index, const traced_type& type, std::size_t bytes) noexcept {
        // relaxed: only a number
        if (index >= atomic_ref<std::size_t>(run_count_).load(std::memory_order_relaxed)) return nullptr;
        cell_search& search = searches_[index];
        if (search.block == nullptr || search.run_bytes >= bytes || blocks_.keeps_freed) return nullptr;
        cell_run& run = runs_[index];
        return find_run_in_block(search, run, search.block->cells) ? begin_run(search, run, type) : nullptr;
    }

    // Effects: nobody allocates here any more: no run is in use, and the next allocator goes on where this one has
    // ended, if none has taken a block of the type since. Returns: the bytes that are used up, and were not counted.
    [[nodiscard]] std::size_t end() noexcept {
        return_runs();
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < searches_.size(); ++i) {
            const cell_search& search = searches_[i];
            if (search.block == nullptr) {
                bytes += search.run_bytes;
                continue;
            }
            cell_lane& lane = blocks_.lanes[i];
            // A sweep begins the search anew, after destructors may have taken a block.
            if (lane.next != 0 && lane.blocks[lane.next - 1] == search.block) {
                bytes += search.run_bytes;
                --lane.next;
                lane.cell = search.cell;
            } else {
                bytes += traced_chunk::block_bytes;
            }
        }
        stop_runs();
        return bytes;
    }

    // Effects: no run is in use any more, and no block is taken. Returns: whether one was.
    bool stop_runs() noexcept {
        bool was_used = false;
        for (std::size_t i = 0; i < searches_.size(); ++i) {
            cell_run& run = runs_[i];
            if (run.begin != run.end) {
                traced_block& block = traced_chunk::block_of(run.begin);
                block.taken_end = static_cast<std::uint16_t>(block.index_of(run.begin));
            }
            run = {};
            const cell_search search = std::exchange(searches_[i], {});
            was_used = was_used || search.run_bytes != 0;
            if (blocks_.keeps_freed && search.block != nullptr) blocks_.lanes[i].cell = search.cell;
        }
        return was_used;
    }

    // Effects: each run ends, and its cells are the next to be handed out.
    void return_runs() noexcept {
        for (std::size_t i = 0; i < searches_.size(); ++i) {
            if (runs_[i].begin == runs_[i].end) continue;
            searches_[i].run_bytes -= static_cast<std::size_t>(runs_[i].end - runs_[i].begin);
            shorten(searches_[i], runs_[i], 0);
        }
    }

    // Effects: each allocation comes to the heap first, until open(). Any thread may call it.
    void close() noexcept { atomic_ref<std::size_t>(run_count_).store(0, std::memory_order_relaxed); }  // only a number

    void open() noexcept { atomic_ref<std::size_t>(run_count_).store(searches_.size(), std::memory_order_relaxed); }

    // Returns: the number of cells in the current run of the type.
    [[nodiscard]] std::size_t cells_left(std::size_t index, const traced_type& type) const noexcept {
        return index < searches_.size()
                   ? static_cast<std::size_t>(runs_[index].end - runs_[index].begin) / type.cell_bytes
                   : 0;
    }

private:
    void reserve_runs(std::size_t index) {
        const std::size_t count = std::bit_ceil(index + 1);
        if (!run_memory_.extend(count)) raise<std::bad_alloc>();
        runs_ = run_memory_.begin();
        if (!searches_.extend(count)) raise<std::bad_alloc>();
        open();
    }

    // Returns: the first cell of the run.
    [[nodiscard]] static std::byte* begin_run(cell_search& search, cell_run& run, const traced_type& type) noexcept {
        const auto bytes = static_cast<std::size_t>(run.end - run.begin);
        search.run_bytes += bytes;
        if (is_memcheck()) tell_allocated(run.begin, bytes);
        return std::exchange(run.begin, run.begin + type.cell_bytes);
    }

    // Effects: sets the next run. Returns: false if the lane has none.
    [[nodiscard]] bool find_run(cell_lane& lane, cell_search& search, cell_run& run, std::size_t most) noexcept {
        while (search.block != nullptr || take_block(lane, search)) {
            if (find_run_in_block(search, run, most)) {
                blocks_.use(*search.block);
                return true;
            }
            search.block = nullptr;
        }
        return false;
    }

    [[nodiscard]] static bool find_run_in_block(cell_search& search, cell_run& run, std::size_t most) noexcept {
        traced_block& block = *search.block;
        const std::size_t first = next_cell(block, search.cell, true);
        if (first == block.cells) return false;
        search.cell = first + detail::smaller(next_cell(block, first, false) - first, most);
        run = {block.cell(first), block.cell(search.cell)};
        block.take(first, search.cell);
        freshen_cards(run);
        return true;
    }

    // Effects: takes the next block that is worth a search. Returns: false if the lane has none.
    [[nodiscard]] static bool take_block(cell_lane& lane, cell_search& search) noexcept {
        while (lane.next < lane.blocks.size()) {
            traced_block& block = *lane.blocks[lane.next++];
            search = {&block, std::exchange(lane.cell, 0), search.run_bytes};
            if (block.unswept) continue;
            if (search.cell != 0) return true;
            // Somebody has taken it, or destructors of the last sweep have made objects there.
            if (block.used) continue;
            // Less than an eighth is free: not worth a search.
            if (std::size_t{block.marked} * 8 <= std::size_t{block.cells} * 7) return true;
            if (lane.next == lane.open + 1) ++lane.open;
        }
        search.block = nullptr;
        return false;
    }

    // Effects: only the first `count` cells of the current run are handed out. The search goes on behind them, if it is
    // still in that block.
    static void shorten(cell_search& search, cell_run& run, std::size_t count) noexcept {
        traced_block& block = traced_chunk::block_of(run.begin);
        const std::size_t end = block.index_of(run.begin) + count;
        block.taken_end = static_cast<std::uint16_t>(end);
        run.end = run.begin + count * block.type->cell_bytes;
        if (search.block == &block) search.cell = end;
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

    // Effects: adds a block to the lane, which is the next one. Throws: std::bad_alloc; then nothing has changed.
    void add_block(cell_lane& lane) {
        reserve_one(lane.blocks);
        lane.blocks.add(&open_block(*lane.type));
        lane.next = lane.blocks.size() - 1;
        lane.cell = 0;
    }

    // Returns: the place of a new large object. Throws: std::bad_alloc; then nothing has changed.
    [[nodiscard]] std::byte* add_large(const traced_type& type) {
        reserve_one(blocks_.large);
        traced_block& block = open_block(type);
        blocks_.large.add(&block);
        blocks_.use(block);
        return block.begin;
    }

    static void reserve_one(growing_buffer<traced_block*>& blocks) {
        if (blocks.is_full() && !blocks.reserve(detail::larger(16, blocks.size() * 2))) raise<std::bad_alloc>();
    }

    [[nodiscard]] traced_block& open_block(const traced_type& type) {
        const std::size_t most = 2 * std::bit_ceil(blocks_.chunks.size() + 1) * traced_chunk::max_blocks;
        if (!blocks_.used.reserve(most)) raise<std::bad_alloc>();
        const parked_helper parked(blocks_.cycle);  // it finds the block after that
        return blocks_.chunks.open(type);
    }

    cell_blocks& blocks_;
    cell_run* runs_ = nullptr;   // the current ones, by the index of their types
    std::size_t run_count_ = 0;  // 0 if this is closed
    growing_list<cell_run> run_memory_;
    growing_list<cell_search> searches_;  // the same
};

}  // namespace freehold::detail

#pragma once
// The memory of collected objects: a free list for each type and thread hands out the cells of its blocks.
//
// Blocks come from the shared page cache. Those without an object go back there, for any type, thread and resource:
// when a thread takes a block, has a quarter more of them than the last time, and an eighth of the cells is free; when
// there is no memory; when trim() is called; and at the end of the thread.

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/annotate.hpp"
#include "../../core/config.hpp"
#include "../../core/memcheck.hpp"
#include "../../core/threading.hpp"
#include "../../memory/pool_statistics.hpp"
#include "candidate_list.hpp"
#include "cyclic_block.hpp"
#include "cyclic_header.hpp"
#include "own_block_cache.hpp"
#include "search_state.hpp"

namespace freehold::inline v0_2::detail {

// Replaces the header of a free cell, and has its size.
struct alignas(sizeof(cyclic_header)) linked_cell {
    linked_cell* next;

    // Set, beside the address of a cell or none, in the first word of a cell that has no header and is not free: its
    // object is being constructed, or its destruction is deferred.
    static constexpr std::uintptr_t taken = 4;
};

// Replaces it until the object is constructed.
struct taken_cell {
    std::uintptr_t mark = linked_cell::taken;
};

// Where a heap that threads share has its blocks from: see shared_blocks.hpp.
class block_source {
public:
    // Returns: a new block; null if there is none.
    [[nodiscard]] virtual cyclic_block* try_make(const cyclic_type& type, std::uint64_t session,
                                                 const void* registry) noexcept = 0;
    // Effects: gives the block back, now or later. Returns: whether it was given back. Requires: it has no object.
    virtual bool give_back(cyclic_block& block) noexcept = 0;

protected:
    ~block_source() = default;
};

// The thread or session that has free lists.
struct cell_owner {
    // Blocks without an object are not looked for before there are this many.
    static constexpr std::size_t min_searched = 16;

    std::uint64_t id = 0;                  // 0 until the thread has its first cells
    std::size_t cells = 0;                 // allocated at least once, in blocks that it still has
    std::size_t blocks = 0;                // that it has
    std::size_t mapped = 0;                // bytes of them
    std::size_t limit = SIZE_MAX;          // of mapped
    void (*reclaim)() noexcept = nullptr;  // collects garbage and gives back memory, if it may
    std::size_t search_at = min_searched;  // the number of blocks before which it looks for those without an object
    cell_free_list* free_lists = nullptr;
    candidate_list<cyclic_header::candidate> candidates;  // new ones
    candidate_list<cyclic_header::postponed> postponed;   // that were looked at, and wait for a search
    // Where a search looks next for postponed objects.
    cell_free_list* gathered_list = nullptr;
    cyclic_block* gathered = nullptr;
    search_state search;
    block_source* source = nullptr;  // of a heap that threads share; else it is the page cache
    own_block_cache* own = nullptr;  // of a session

    // Effects: gives back all blocks without an object. Complexity: linear in the cells.
    void trim() noexcept;

    // Effects: no list refers to the cell, whose block is given back next. Complexity: linear in the lists, which is
    // little beside what a block costs that has a single cell.
    FREEHOLD_NOINLINE void forget(cyclic_header& cell) noexcept {
        if (cell.is(cyclic_header::candidate)) candidates.remove(cell);
        if (cell.is(cyclic_header::postponed)) postponed.remove(cell);
        search.remove(cell);
    }

    // Effects: calls use(block) for every block.
    template <class Use>
    void each_block(Use use) const;

    // Effects: calls use(header) for every object.
    template <class Use>
    void each_object(Use use) const;

    // Effects: adds its blocks and cells. Complexity: linear in the cells.
    void tally(pool_statistics& found) const noexcept;

    // Returns: whether that many cells are free. Complexity: linear in their number.
    [[nodiscard]] bool has_free(std::size_t wanted) const noexcept;

    // Returns: whether a block for objects of the type exceeds the thread's limit.
    [[nodiscard]] bool is_full(const cyclic_type& type) const noexcept {
        return mapped > limit || type.shape.memory > limit - mapped;
    }

    // Returns: a new block for objects of the type; null if there is no memory, then nothing has changed.
    [[nodiscard]] cyclic_block* add_block(const cyclic_type& type, const void* registry) noexcept;

    [[nodiscard]] cyclic_block* try_add_block(const cyclic_type& type, const void* registry) const noexcept;
};

// The cells of one type and owner: a list of the free ones, and all blocks.
// Trivially destructible and constant-initialized, as part of a thread's static data.
class cell_free_list {
public:
    // Returns: a free cell, or null if the list is empty. The caller marks it as allocated.
    [[nodiscard]] linked_cell* pop() noexcept {
        linked_cell* const cell = free_;
        if (cell != nullptr) [[likely]]
            free_ = read_free(cell).next;
        return cell;
    }

    // Effects: frees a cell.
    void push(void* cell, const cell_shape& shape) noexcept {
#ifdef FREEHOLD_TELLS_FAST_FREES
        if (is_memcheck()) [[unlikely]]
            return retire(cell, shape);
#endif
        free_ = set_next(cell, free_);
        annotate_free(cell, shape.bytes);
    }

    // Effects: frees a cell for good, so that memcheck reports any use of it.
    FREEHOLD_COLD FREEHOLD_NOINLINE static void retire(void* cell, const cell_shape& shape) noexcept {
        close(cell, shape);
        ++cyclic_block::of(*static_cast<cyclic_header*>(cell)).retired_cells;
        tell_free(cell, shape.bytes);
    }

    // Returns: a free cell of a new batch; null if there is no memory, then nothing has changed.
    // Requires: the list is empty, and its thread has an id.
    [[nodiscard]] FREEHOLD_NOINLINE linked_cell* find(const cyclic_type& type, cell_owner& owner,
                                                      const void* registry) noexcept {
        if (needs_block() && owner.is_full(type) && owner.reclaim != nullptr) {
            owner.reclaim();
            if (free_ != nullptr) return pop();
        }
        if (needs_block()) {
            cyclic_block* const fresh = owner.add_block(type, registry);
            if (fresh == nullptr) return nullptr;
            fresh->next = blocks_;
            if (blocks_ != nullptr) blocks_->previous = fresh;
            blocks_ = fresh;
        }
        add_to(owner);
        owner.cells += cut(type.shape);
        return pop();
    }

    // Returns: whether all cells of all blocks were allocated once.
    [[nodiscard]] bool needs_block() const noexcept {
        return blocks_ == nullptr || blocks_->untouched == blocks_->end();
    }

    // Effects: marks a cell as free, and adds it to no list: its session has ended.
    static void close(void* cell, const cell_shape& shape) noexcept {
        set_next(cell, nullptr);
        annotate_free(cell, shape.bytes);
    }

    // Effects: adds a block that was in no free list. Its cells without an object are free.
    void adopt(cyclic_block& block, cell_owner& owner) noexcept {
        const cell_shape& shape = block.type->shape;
        block.retired_cells = 0;
        for (std::byte* cell = block.first_cell(); cell != block.end(); cell += shape.bytes) {
            if (cell < block.untouched && cyclic_header::has_object(cell)) continue;
            if (is_memcheck()) tell_allocated(cell, shape.bytes);
            push(cell, shape);
        }
        block.untouched = block.end();
        // Behind the newest, which may have untouched cells.
        block.previous = blocks_;
        block.next = blocks_ != nullptr ? std::exchange(blocks_->next, &block) : nullptr;
        if (blocks_ == nullptr) blocks_ = &block;
        if (block.next != nullptr) block.next->previous = &block;
        add_to(owner);
        owner.cells += shape.count;
        ++owner.blocks;
        owner.mapped += shape.memory;
    }

    // Effects: calls use(block) for every block. They and their cells are in no free list afterwards.
    template <class Use>
    void abandon(Use use) noexcept {
        free_ = nullptr;
        for (cyclic_block* block = std::exchange(blocks_, nullptr); block != nullptr;) {
            use(*std::exchange(block, block->next));
        }
    }

    // Effects: gives back the block of a cell. Returns: whether that has freed its memory already. Requires: it is the
    // block's only one.
    bool give_back(cyclic_header& cell, cell_owner& owner) noexcept {
        if (cell.is_listed()) owner.forget(cell);
        --owner.cells;
        cyclic_block& block = cyclic_block::of(cell);
        close(&cell, block.type->shape);  // a search may look at it until the block is given back
        return unlink(block, owner);
    }

    // Effects: gives back all blocks whose cells are all free, and puts the free cells of the others in address order.
    // Complexity: linear in the cells. They are looked at in address order: to follow the list is a cache miss a cell
    // after frees in disorder.
    void trim(cell_owner& owner) noexcept {
        free_ = nullptr;
        for (cyclic_block* block = blocks_; block != nullptr;) {
            cyclic_block* const next = block->next;
            const auto touched = static_cast<std::size_t>(block->untouched - block->first_cell());
            const std::size_t cells = touched / block->type->shape.bytes;
            if (count_free(*block) == cells) {
                owner.cells -= cells;
                unlink(*block, owner);
            } else if (block->retired_cells == 0) {
                collect_free(*block);
            }
            block = next;
        }
    }

    // Returns: the number of free cells, but at most `most`. Complexity: linear in the result.
    [[nodiscard]] std::size_t free_cells(std::size_t most) const noexcept {
        std::size_t count = 0;
        for (linked_cell* cell = free_; cell != nullptr && count < most; cell = read_free(cell).next) ++count;
        return count;
    }

    template <class Use>
    void each_block(Use use) const {
        for (cyclic_block* block = blocks_; block != nullptr; block = block->next) use(*block);
    }

    template <class Use>
    static void each_in(cyclic_block& block, Use use) {
        for (std::byte* cell = block.first_cell(); cell != block.untouched; cell += block.type->shape.bytes) {
            if (cyclic_header::has_object(cell)) use(*reinterpret_cast<cyclic_header*>(cell));
        }
    }

    [[nodiscard]] cell_free_list* next() const noexcept { return next_; }

    // Returns: the newest block; null if there is none.
    [[nodiscard]] cyclic_block* first_block() const noexcept { return blocks_; }

private:
    static constexpr std::size_t max_batch = 128;
    static constexpr std::size_t max_batch_bytes = 8192;

    // Requires: the cell is before the untouched ones.
    [[nodiscard]] static bool is_free(const std::byte* cell) noexcept {
        return (cyclic_header::first_bits(cell) & (cyclic_header::live | linked_cell::taken)) == 0;
    }

    void add_to(cell_owner& owner) noexcept {
        if (is_registered_) return;
        next_ = std::exchange(owner.free_lists, this);
        is_registered_ = true;
    }

    static linked_cell* set_next(void* cell, linked_cell* next) noexcept {
        annotate_allocated(cell, sizeof(linked_cell));
        auto* const linked = ::new (cell) linked_cell{next};
        annotate_free(cell, sizeof(linked_cell));
        return linked;
    }

    [[nodiscard]] static std::size_t count_free(cyclic_block& block) noexcept {
        const cell_shape& shape = block.type->shape;
        std::size_t count = 0;
        for (std::byte* cell = block.first_cell(); cell != block.untouched; cell += shape.bytes) {
            if (!is_free(cell)) continue;
            ++count;
            if (block.retired_cells != 0) tell_free(cell, shape.bytes);
        }
        return count;
    }

    void collect_free(cyclic_block& block) noexcept {
        for (std::byte* cell = block.untouched; cell != block.first_cell();) {
            cell -= block.type->shape.bytes;
            if (is_free(cell)) free_ = set_next(cell, free_);
        }
    }

    // Effects: adds a batch of untouched cells of the newest block, in address order, so that neighbors in the list are
    // neighbors in the cache. Returns: their number.
    std::size_t cut(const cell_shape& shape) noexcept {
        const std::size_t bytes = shape.bytes;
        cyclic_block& block = *blocks_;
        const std::size_t left = static_cast<std::size_t>(block.end() - block.untouched) / bytes;
        const std::size_t fitting = is_memcheck() || bytes > max_batch_bytes ? 1 : max_batch_bytes / bytes;
        const std::size_t batch = fitting < max_batch ? fitting : max_batch;
        const std::size_t cells = left < batch ? left : batch;
        std::byte* const begin = std::exchange(block.untouched, block.untouched + cells * bytes);
        if (is_memcheck()) tell_allocated(begin, cells * bytes);
        linked_cell* first = free_;
        for (std::byte* cell = block.untouched; cell != begin;) first = set_next(cell -= bytes, first);
        free_ = first;
        return cells;
    }

    // Effects: gives the block back. Returns: whether that has freed its memory already.
    bool unlink(cyclic_block& block, cell_owner& owner) noexcept {
        if (owner.gathered == &block) owner.gathered = block.next;
        --owner.blocks;
        owner.mapped -= block.type->shape.memory;
        if (owner.own != nullptr) owner.own->remove(&block);
        (block.previous != nullptr ? block.previous->next : blocks_) = block.next;
        if (block.next != nullptr) block.next->previous = block.previous;
        if (owner.source != nullptr) return owner.source->give_back(block);
        block.give_back();
        return true;
    }

    linked_cell* free_ = nullptr;
    cyclic_block* blocks_ = nullptr;  // the newest first; only that one may have untouched cells
    cell_free_list* next_ = nullptr;  // in the thread
    bool is_registered_ = false;
};

inline void cell_owner::trim() noexcept {
    candidates.drop_dead();
    postponed.drop_dead();
    search.drop_dead();
    for (cell_free_list* each = free_lists; each != nullptr; each = each->next()) each->trim(*this);
}

template <class Use>
void cell_owner::each_block(Use use) const {
    for (const cell_free_list* each = free_lists; each != nullptr; each = each->next()) each->each_block(use);
}

template <class Use>
void cell_owner::each_object(Use use) const {
    each_block([&use](cyclic_block& block) { cell_free_list::each_in(block, use); });
}

inline void cell_owner::tally(pool_statistics& found) const noexcept {
    found.is_counted = true;
    each_block([&found](cyclic_block& block) {
        const cell_shape& shape = block.type->shape;
        std::size_t objects = 0;
        cell_free_list::each_in(block, [&objects](cyclic_header&) { ++objects; });
        found.mapped += shape.memory;
        found.live += objects * shape.bytes;
        found.cached += (shape.count - objects) * shape.bytes;
    });
}

inline bool cell_owner::has_free(std::size_t wanted) const noexcept {
    for (cell_free_list* each = free_lists; each != nullptr && wanted > 0; each = each->next()) {
        wanted -= each->free_cells(wanted);
    }
    return wanted == 0;
}

inline cyclic_block* cell_owner::try_add_block(const cyclic_type& type, const void* registry) const noexcept {
    if (is_full(type)) return nullptr;
    if (source != nullptr) return source->try_make(type, id, registry);
    return cyclic_block::make<one_thread>(type, id, registry);
}

inline cyclic_block* cell_owner::add_block(const cyclic_type& type, const void* registry) noexcept {
    if (blocks >= search_at) {
        // Not under memcheck, which is to report every use of a freed cell.
        if (!is_memcheck() && has_free(cells / 8)) trim();
        search_at = larger(min_searched, blocks + blocks / 4);
    }
    cyclic_block* added = try_add_block(type, registry);
    if (added == nullptr) {
        trim();
        if (reclaim != nullptr) reclaim();
        added = try_add_block(type, registry);
        if (added == nullptr) return nullptr;
    }
    ++blocks;
    mapped += type.shape.memory;
    return added;
}

}  // namespace freehold::detail

#pragma once
// The memory of a traced heap, in which cells are found, and what it is told between two collections: which cells were
// handed out, and which stores a young collection must know of.
//
// Each type has a lane: its blocks, and a run of neighbouring cells without a mark, from which cells are handed out by
// addition. There is no other free list, and no sweep makes one.
//
// A store into an old object marks its card. A store outside of the heap, into the buffer of a vector say, can not tell
// whose it is; so what was stored is remembered.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "../../core/alignment.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/growing_buffer.hpp"
#include "../../core/memcheck.hpp"
#include "../../memory/page_cache.hpp"
#include "container_watch.hpp"
#include "traced_chunk.hpp"
#include "traced_roots.hpp"
#include "wide_chunks.hpp"

namespace freehold::detail {

// The rest of the run from which cells are handed out.
struct traced_run {
    std::byte* begin = nullptr;
    std::byte* end = nullptr;
};

struct traced_lane {
    const traced_type* type = nullptr;
    std::vector<traced_block*> blocks;
    std::size_t open = 0;     // the first block that is not too full to look for runs, until marks are forgotten
    std::size_t current = 0;  // the block that the search is in, and the cell
    std::size_t cell = 0;
    std::size_t left_at = 0;    // the cell before the sweep
    std::size_t run_bytes = 0;  // of the current run, when it was found
};

class traced_store {
public:
    traced_store() = default;
    traced_store(const traced_store&) = delete;
    traced_store& operator=(const traced_store&) = delete;

    ~traced_store() {
        for (traced_chunk* const chunk : chunks_) give_back(chunk);
    }

    // Returns: the chunk of this heap that the address is in the first 4 MiB of, or a null pointer.
    // Requires: the heap has chunks.
    [[nodiscard]] traced_chunk* find_chunk(const void* address) const noexcept {
        traced_chunk* const sought = traced_chunk::at(address);
        for (std::size_t i = place_of(sought); places_[i] != nullptr; i = (i + 1) & (places_.size() - 1)) {
            if (places_[i] == sought) return sought;
        }
        return nullptr;
    }

    // Returns: the object that the address is in, or a null pointer where it is in none.
    // Requires: no run of cells is being handed out.
    [[nodiscard]] const void* object_at(const void* address) const noexcept {
        if (chunks_.empty()) return nullptr;
        address = wide_chunks::head_of(address);
        const traced_chunk* const chunk = find_chunk(address);
        const traced_block* const block = chunk != nullptr ? chunk->opened_block_of(address) : nullptr;
        if (block == nullptr) return nullptr;
        const std::size_t index = block->index_of(address);
        return index < block->cells && block->is_occupied(index) ? block->cell(index) : nullptr;
    }

    // Returns: the heap of the object that the address is in.
    [[nodiscard]] static traced_store& of(const void* address) noexcept {
        return wide_chunks::chunk_of(address).heap();
    }

    // Effects: the next young collection will know that `target` was stored in `slot`, which may be anywhere.
    [[gnu::noinline]] static void remember(const void* slot, const void* target) noexcept {
        if (wide_chunks::may_lead_to(slot) || wide_chunks::may_lead_to(target)) [[unlikely]]
            return remember_far(slot, target);
        remember_near(slot, target);
    }

    [[nodiscard]] static bool is_marked(const void* object) noexcept {
        const traced_block& block = wide_chunks::block_of(object);
        return block.is_marked(block.index_of(object));
    }

    // Handles that are in no object's keeping.
    listed_handle* persistent_handles = nullptr;
    listed_handle* young_weak_handles = nullptr;
    listed_handle* old_weak_handles = nullptr;
    listed_handle* young_ephemerons = nullptr;
    listed_handle* old_ephemerons = nullptr;

protected:
    // Returns: whether a tool watches what is freed.
    [[nodiscard]] static bool is_watched() noexcept {
#ifdef FREEHOLD_ADDRESS_SANITIZER
        return true;
#else
        return is_memcheck();
#endif
    }

    // Effects: sets the next run of free cells. Returns: whether there is one.
    [[nodiscard]] bool find_run(traced_lane& lane, traced_run& run) noexcept {
        for (; lane.current < lane.blocks.size(); ++lane.current, lane.cell = 0) {
            traced_block& block = *lane.blocks[lane.current];
            // What a destructor has used in the last sweep holds young objects.
            if (lane.cell == 0 && block.used) continue;
            if (lane.cell == 0 && std::size_t{block.marked} * 8 > std::size_t{block.cells} * 7) {
                // The few cells that are left are not worth it.
                if (lane.current == lane.open) ++lane.open;
                continue;
            }
            const std::size_t first = next_cell(block, lane.cell, true);
            if (first == block.cells) continue;
            const std::size_t behind = next_cell(block, first, false);
            lane.cell = behind;
            run = {block.cell(first), block.cell(behind)};
            block.take(first, behind);
            use(block);
            freshen_cards(run);
            return true;
        }
        return false;
    }

    // Effects: adds a block to the lane, where the search goes on. Throws: std::bad_alloc; then nothing has changed.
    void add_block(traced_lane& lane) {
        if (lane.blocks.size() == lane.blocks.capacity())
            lane.blocks.reserve(std::max<std::size_t>(16, lane.blocks.size() * 2));
        lane.blocks.push_back(&open_blocks(*lane.type));
        lane.current = lane.blocks.size() - 1;
        lane.cell = 0;
    }

    // Returns: the place of a new large object. Throws: std::bad_alloc; then nothing has changed.
    [[nodiscard]] std::byte* add_large(const traced_type& type) {
        if (large_.size() == large_.capacity()) large_.reserve(std::max<std::size_t>(16, large_.size() * 2));
        traced_block& block = open_blocks(type);
        large_.push_back(&block);
        use(block);
        return block.begin;
    }

    void close_block(traced_block& block) noexcept {
        traced_chunk::at(&block)->close(block);
        first_with_room_ = 0;
    }

    // Effects: gives back the chunks that are empty: the wide ones, or all but one.
    void trim(bool all) noexcept {
        bool kept = false;
        const auto is_superfluous = [all, &kept](const traced_chunk* chunk) {
            return chunk->is_empty() && (chunk->is_wide() || (all && std::exchange(kept, true)));
        };
        const auto superfluous = std::partition(chunks_.begin(), chunks_.end(),
                                                [&](const traced_chunk* chunk) { return !is_superfluous(chunk); });
        if (superfluous == chunks_.end()) return;
        for (auto chunk = superfluous; chunk != chunks_.end(); ++chunk) give_back(*chunk);
        chunks_.erase(superfluous, chunks_.end());
        first_with_room_ = 0;
        std::ranges::fill(places_, nullptr);
        for (traced_chunk* const chunk : chunks_) enter(chunk);
    }

    // Effects: forgets what was remembered of stores.
    void forget_stores() noexcept {
        for (const void* const slot : stored_) traced_chunk::at(slot)->card_of(slot) = traced_chunk::clean;
        stored_.truncate(0);
        stored_outside_.truncate(0);
        remembers_stores_ = remembers_outside_ = true;
    }

    // Effects: all blocks are unused.
    void forget_use() noexcept {
        for (traced_block* const block : used_) {
            block->used = false;
            block->taken_begin = block->taken_end = 0;
            std::ranges::fill(traced_chunk::cards_of(*block), std::uint8_t{traced_chunk::clean});
        }
    }

    std::deque<traced_lane> lanes_;  // by the index of their types; some may have no type
    std::vector<traced_block*> large_;
    std::vector<traced_block*>
        used_;  // since the last collection; room is reserved for all blocks, before and in a sweep
    growing_list<const void*> stored_;  // the slots, one for each card
    growing_list<const void*> stored_outside_;
    container_watch watch_;
    std::size_t live_bytes_ = 0;  // of marked objects
    std::size_t heap_bytes_ = 0;
    bool remembers_stores_ = true;   // there was memory for all that had to be remembered
    bool remembers_outside_ = true;  // the same, and it was not too much

private:
    static constexpr std::size_t most_stored_outside = std::size_t{1} << 16;

    // Requires: what is in a chunk is in the first 4 MiB of that.
    static void remember_near(const void* slot, const void* target) noexcept {
        traced_store& heap = traced_chunk::at(target)->heap();
        if (traced_chunk* const chunk = heap.find_chunk(slot)) {
            if (chunk->note_store(slot) && !heap.stored_.push(slot)) heap.remembers_stores_ = false;
        } else {
            heap.watch_.note(slot, target);
            const traced_block& block = traced_chunk::block_of(target);
            if (!heap.remembers_outside_ || block.is_marked(block.index_of(target))) return;
            heap.remembers_outside_ =
                heap.stored_outside_.size() < most_stored_outside && heap.stored_outside_.push(target);
        }
    }

    [[gnu::noinline]] static void remember_far(const void* slot, const void* target) noexcept {
        remember_near(wide_chunks::head_of(slot), wide_chunks::head_of(target));
    }

    // Returns: the first cell from `index` on that is unoccupied, or that is not; block.cells where there is none.
    [[nodiscard]] static std::size_t next_cell(const traced_block& block, std::size_t index, bool unoccupied) noexcept {
        while (index < block.cells) {
            const std::uint64_t word = block.unoccupied(index / 64);
            const std::uint64_t rest = (unoccupied ? word : ~word) >> index % 64;
            if (rest != 0) {
                index += static_cast<std::size_t>(std::countr_zero(rest));
                break;
            }
            index = (index / 64 + 1) * 64;
        }
        return std::min<std::size_t>(index, block.cells);
    }

    void use(traced_block& block) noexcept {
        if (std::exchange(block.used, true)) return;
        used_.push_back(&block);
    }

    // Effects: stores into the new objects of the run need not be remembered, where a card holds no others.
    static void freshen_cards(const traced_run& run) noexcept {
        const auto begin = round_up(std::bit_cast<std::uintptr_t>(run.begin), traced_chunk::card_bytes);
        const auto end = std::bit_cast<std::uintptr_t>(run.end) / traced_chunk::card_bytes * traced_chunk::card_bytes;
        if (begin >= end) return;
        std::uint8_t* const cards = &traced_chunk::at(run.begin)->card_of(std::bit_cast<void*>(begin));
        std::fill_n(cards, (end - begin) / traced_chunk::card_bytes, std::uint8_t{traced_chunk::fresh});
    }

    [[nodiscard]] traced_block& open_blocks(const traced_type& type) {
        const std::size_t count = traced_chunk::blocks_for(type);
        for (std::size_t i = first_with_room_; i < chunks_.size() && count <= traced_chunk::most_blocks; ++i) {
            traced_block* const opened = chunks_[i]->is_wide() ? nullptr : chunks_[i]->open(type, count);
            if (opened != nullptr) return *opened;
            if (count == 1) first_with_room_ = i + 1;
        }
        return *add_chunk(count)->open(type, count);
    }

    // Returns: a chunk with so many blocks. Throws: std::bad_alloc; then nothing has changed.
    traced_chunk* add_chunk(std::size_t blocks) {
        // Whole chunks: nothing else is in the last 4 MiB, so that a store there of an address there is one into the
        // object that it leads to.
        const std::size_t bytes =
            round_up((traced_chunk::header_blocks + blocks) * traced_chunk::block_bytes, traced_chunk::bytes);
        chunks_.reserve(std::bit_ceil(chunks_.size() + 1));
        used_.reserve(2 * chunks_.capacity() * traced_chunk::most_blocks);
        std::vector<traced_chunk*> places(std::bit_ceil(chunks_.capacity() * 2));
        void* const memory = page_cache::shared().allocate(bytes, traced_chunk::bytes);
        if (bytes != traced_chunk::bytes && !wide_chunks::has_room()) {
            page_cache::shared().deallocate(memory, bytes, traced_chunk::bytes);
            raise<std::bad_alloc>();
        }
        watch_.forget(memory, bytes);
        auto* const chunk = ::new (memory) traced_chunk(*this, bytes);
        chunks_.push_back(chunk);
        if (chunk->is_wide()) wide_chunks::add(*chunk);
        heap_bytes_ += bytes;
        places_ = std::move(places);
        for (traced_chunk* const each : chunks_) enter(each);
        return chunk;
    }

    void give_back(traced_chunk* chunk) noexcept {
        const std::size_t bytes = chunk->total_bytes();
        heap_bytes_ -= bytes;
        if (chunk->is_wide()) wide_chunks::remove(*chunk);
        chunk->~traced_chunk();
        page_cache::shared().deallocate(chunk, bytes, traced_chunk::bytes);
    }

    [[nodiscard]] std::size_t place_of(const traced_chunk* chunk) const noexcept {
        return std::bit_cast<std::uintptr_t>(chunk) / traced_chunk::bytes & (places_.size() - 1);
    }

    void enter(traced_chunk* chunk) noexcept {
        std::size_t i = place_of(chunk);
        while (places_[i] != nullptr) i = (i + 1) & (places_.size() - 1);
        places_[i] = chunk;
    }

    std::vector<traced_chunk*> chunks_;
    std::vector<traced_chunk*> places_;  // a hash table of them, of a power of two places; at least half is empty
    std::size_t first_with_room_ = 0;    // chunks before it are full
};

// Effects: sees that a young collection knows of a store. `slot` may be anywhere.
// Always inline: most stores do no more than look at the card, and a call costs as much again (in n-queens under g++, a
// twentieth of the time).
[[gnu::always_inline]] inline void record_store(const void* slot, const void* target) noexcept {
    if (target == nullptr) return;
    traced_chunk& chunk = *traced_chunk::at(target);
    // In the same chunk as an object, the slot is in the heap, and has a card. Or both are behind the first 4 MiB of a
    // wide chunk, in its one object: then what is read is no card, and tells nothing, as nothing has to be remembered.
    const bool in_chunk =
        (std::bit_cast<std::uintptr_t>(slot) ^ std::bit_cast<std::uintptr_t>(target)) < traced_chunk::bytes;
    if (in_chunk && chunk.card_of(slot) >= traced_chunk::dirty) [[likely]]
        return;
    traced_store::remember(slot, target);
}

}  // namespace freehold::detail

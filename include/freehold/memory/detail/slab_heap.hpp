#pragma once
// slab_heap: the slabs of one heap, and what happens when a list of free blocks is empty or all blocks of a slab are.
//
// A class of small blocks has up to four current slabs, another one has one. Their free blocks are the list of the
// class, which is reused while it is in the cache, and are not counted. When these slabs have no block left, the oldest
// is put aside. Once one of its blocks is freed, it waits in a queue to become current again, and counts the frees.
// When its last block is freed, it is empty, and may serve another class or another heap.
//
//   open -> current -> aside -> available -> current, or empty
//
// With one current slab instead of four, a program whose small blocks fill three slabs takes 1.2 times as long to free
// and allocate one: the processor mispredicts which list a block goes to.
//
// Blocks that other threads have freed stay batches until they are needed: another processor's cache has their memory.
//
// Thread safety: one thread at a time. Exceptions: none.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/annotate.hpp"
#include "../../core/block_arithmetic.hpp"
#include "../pool_statistics.hpp"
#include "block_batch.hpp"
#include "block_canary.hpp"
#include "block_states.hpp"
#include "guarded_blocks.hpp"
#include "hardening.hpp"
#include "slab.hpp"
#include "slab_walk.hpp"

namespace freehold::detail {

// Slabs in a ring through their links `next` and `previous`, the first of which was pushed first.
template <class Slab>
class basic_slab_queue {
public:
    [[nodiscard]] Slab* first() const noexcept { return first_; }

    void push(Slab* added) noexcept {
        if (first_ == nullptr) {
            first_ = added->next = added->previous = added;
            return;
        }
        added->next = first_;
        added->previous = std::exchange(first_->previous, added);
        added->previous->next = added;
    }

    void remove(Slab* removed) noexcept {
        removed->previous->next = removed->next;
        removed->next->previous = removed->previous;
        if (first_ == removed) first_ = removed->next != removed ? removed->next : nullptr;
        removed->next = nullptr;
    }

    // Returns: the first slab, taken out, or null.
    [[nodiscard]] Slab* pop() noexcept {
        Slab* const popped = first_;
        if (popped != nullptr) remove(popped);
        return popped;
    }

private:
    Slab* first_ = nullptr;
};

using slab_queue = basic_slab_queue<slab>;

// Sizes is slab_class or another table with the same functions.
template <class Sizes>
class slab_heap : public basic_block_lists<Sizes> {
public:
    // A slab is cut into at most `most_blocks` blocks.
    explicit slab_heap(std::size_t most_blocks = slab_bytes) noexcept : most_blocks_(most_blocks) {}

    // Returns: a block of the class from the heap's slabs, or null.
    [[nodiscard]] free_block* find(std::size_t block_class) noexcept {
        if (!fill(block_class)) return nullptr;
        free_block* const block = lists_[block_class];
        this->take_first(block, block_class);
        return block;
    }

    // Returns: a block on a page of its own, if one is due, or null. Without a call, none is ever due.
    [[nodiscard]] void* find_guarded(std::size_t block_class) noexcept {
        if constexpr (is_hardened) {
            if (this->countdown_.is_running()) [[likely]]
                return nullptr;
            if (!this->countdown_.start(guarded_blocks::distance(random_))) return nullptr;
            return guarded_blocks::allocate(Sizes::bytes_of(block_class), random_);
        }
        return nullptr;
    }

    // Effects: serves the class from a slab of no heap, for `home`. Requires: find(block_class) has found nothing.
    void open(slab* fresh, std::size_t block_class, block_lists* home = nullptr) noexcept {
        const bool is_as_left = fresh->block_class == block_class && fresh->batches == nullptr;
        fresh->home = home;
        fresh->seal.set();
        // relaxed: pairs with slab_pool::statistics(), where any time is as good
        __atomic_store_n(&fresh->block_class, static_cast<std::uint16_t>(block_class), __ATOMIC_RELAXED);
        const std::size_t bytes = Sizes::bytes_of(block_class);
        fresh->batch_length = static_cast<std::uint16_t>(detail::clamp(8192 / bytes, 1, slab::max_batch));
        if (!is_as_left) {
            if constexpr (is_hardened) block_states<Sizes::granularity>::clear(fresh, sizeof(slab));
            fresh->free = nullptr;
            fresh->batches = nullptr;
            fresh->uncut = static_cast<std::uint32_t>(layout_of(block_class).first);
        }
        make_current(*fresh, block_class);
        ++slabs_;
        ++opened_;
    }

    // Effects: takes back a block of a slab that this heap owns. Returns: whether requeue() comes next.
    [[nodiscard]] bool push_any(void* block, slab* origin) noexcept {
        if (!origin->is_current_of(this)) return origin->push(block);
        this->push(block, origin->block_class);
        return false;
    }

    // Effects: does what is due after slab::push() or arrive(): lists the slab as available or as empty.
    void requeue(slab* counted) noexcept {
        const std::size_t block_class = counted->block_class;
        if (counted->rest > 0) {
            available_[block_class].push(counted);
            counted->due = std::exchange(counted->rest, 0);
        } else {
            if (counted->next != nullptr) available_[block_class].remove(counted);
            empty_.push(counted);
        }
    }

    // Returns: a slab of which no block is in use, taken out of the heap, or null.
    [[nodiscard]] slab* pop_empty() noexcept {
        slab* const empty = empty_.pop();
        if (empty != nullptr) --slabs_;
        return empty;
    }

    [[nodiscard]] bool has_empty() const noexcept { return empty_.first() != nullptr; }

    // Returns: whether to call put_all_aside() before the pool grows. Not if it was called a short while ago: a program
    // that uses a few blocks of each of many sizes would take and give back the same slabs for ever.
    [[nodiscard]] bool is_worth_sorting() const noexcept { return 2 * opened_ >= 3 * slabs_; }

    // Effects: puts the current slabs and their free blocks aside, so that slabs without a block in use are known as
    // empty. `send_home(block)` takes a block of another heap. Complexity: linear in the free blocks.
    template <class SendHome>
    void put_all_aside(SendHome send_home) noexcept {
        opened_ = 0;
        for (std::size_t block_class = 0; block_class < Sizes::count; ++block_class) {
            const current_slabs before = std::exchange(current_[block_class], {});
            for (slab* const each : before.slabs) {
                if (each != nullptr) wait(*each, block_class);
            }
            free_block*& list = lists_[block_class];
            while (free_block* const block = list) {
                list = next_of(block);
                if constexpr (has_canaries) block_canary<Sizes>::check_free(block, Sizes::bytes_of(block_class));
                slab* const origin = slab::of(block);
                if (!before.contains(origin)) {
                    send_home(block);
                } else if (origin->push(block)) {
                    requeue(origin);
                }
            }
        }
    }

    // Returns: whether the block is in a list of this heap, or of its slab if that is at home in `home`, this heap. For
    // checks. Complexity: linear in the free blocks of its class.
    [[nodiscard, gnu::cold, gnu::noinline]] bool has_free(void* block, const block_lists* home) const noexcept {
        slab* const origin = slab::of(block);
        const free_block* each = lists_[origin->block_class];
        while (each != nullptr && each != block) each = next_of(each);
        return each != nullptr || (origin->home == home && slab_walk<Sizes>(*origin).is_free(block));
    }

    // Effects: adds the slab, which is this heap's. The list of a class counts for its newest current slab: only the
    // sums of a class are right. Requires: no current slab has a batch. Complexity: linear in the list.
    void tally(const slab& counted, pool_statistics& found) const noexcept {
        const std::size_t block_class = counted.block_class;
        const std::size_t bytes = Sizes::bytes_of(block_class);
        std::size_t in_use = counted.due + counted.rest;
        if (counted.is_current_of(this)) in_use = (counted.uncut - layout_of(block_class).first) / bytes;
        if (current_[block_class].slabs[0] == &counted) {
            for (const free_block* each = lists_[block_class]; each != nullptr; each = next_of(each)) --in_use;
        }
        found.add_slab(bytes, in_use, blocks_of(block_class) - in_use);
    }

protected:
    using basic_block_lists<Sizes>::lists_;

    // Effects: fills the list of the class, if it is empty, from the heap's slabs. Returns: whether it has a block.
    [[nodiscard]] bool fill(std::size_t block_class) noexcept {
        while (lists_[block_class] == nullptr && !extend(block_class)) {
            slab* const next = available_[block_class].pop();
            if (next == nullptr) return false;
            make_current(*next, block_class);
        }
        return true;
    }

    // Effects: takes back the blocks of the batch, which belongs to this heap.
    void arrive(block_batch* batch) noexcept {
        slab* const origin = slab::of(batch);
        std::uint32_t left = read_free(batch).blocks;
        batch->set_next(std::exchange(origin->batches, batch));
        if (!origin->is_current_of(nullptr)) return;
        while (left >= origin->due) {
            left -= std::exchange(origin->due, 0);
            requeue(origin);
            if (origin->due == 0) return;
        }
        origin->due -= left;
    }

private:
    static constexpr std::size_t most_current = 4;
    static constexpr std::size_t largest_of_four = 128;  // bytes; sizes beyond have one current slab

    // The current slabs of a class, the newest first; null where there are fewer.
    struct current_slabs {
        slab* slabs[most_current] = {};

        // No std::any_of: <algorithm> costs more to compile than all of this header.
        [[nodiscard]] bool contains(const slab* sought) const noexcept {
            for (const slab* const each : slabs) {  // NOLINT(readability-use-anyofallof)
                if (each == sought) return true;
            }
            return false;
        }
    };

    // At most this many blocks of a batch are put into the list at once: they are touched together.
    static constexpr std::size_t most_unpacked = 16;

    static constexpr std::size_t smallest_page = 4096;

    // In a hardened program, neighbors that change places. With more of them, programs whose objects lie in the order
    // of their allocation take longer: with 8 a tenth, with a whole page a half.
    static constexpr std::size_t shuffled_together = 4;

    [[nodiscard]] static constexpr block_layout layout_of(std::size_t block_class) noexcept {
        return detail::layout_of_class<Sizes>(block_class);
    }

    // Returns: the number of blocks of a slab.
    [[nodiscard]] std::size_t blocks_of(std::size_t block_class) const noexcept {
        return detail::smaller(layout_of(block_class).count, most_blocks_);
    }

    // Effects: makes the slab the newest current one, and puts the oldest aside. Requires: all blocks of these are in
    // use.
    void make_current(slab& chosen, std::size_t block_class) noexcept {
        const std::size_t most = Sizes::bytes_of(block_class) <= largest_of_four ? most_current : 1;
        slab* displaced = &chosen;
        for (std::size_t i = 0; i < most; ++i) displaced = std::exchange(current_[block_class].slabs[i], displaced);
        if (displaced != nullptr) {
            displaced->set_current_in(nullptr);
            displaced->due = 1;
            displaced->rest = static_cast<std::uint32_t>(blocks_of(block_class) - 1);
        }
        chosen.set_current_in(this);
        chosen.next = nullptr;
        lists_[block_class] = std::exchange(chosen.free, nullptr);
    }

    // Effects: makes the slab, which was current, wait for the blocks that are neither fresh nor in a batch.
    void wait(slab& waiting, std::size_t block_class) noexcept {
        std::size_t out = (waiting.uncut - layout_of(block_class).first) / Sizes::bytes_of(block_class);
        for (const block_batch* each = waiting.batches; each != nullptr; each = each->following()) {
            out -= read_free(each).blocks;
        }
        waiting.set_current_in(nullptr);
        waiting.due = static_cast<std::uint32_t>(out);
        waiting.rest = 0;
        available_[block_class].push(&waiting);
        if (out == 0) requeue(&waiting);
    }

    // Effects: fills the empty list with blocks of the current slabs. Returns: whether there were any.
    bool extend(std::size_t block_class) noexcept {
        free_block*& list = lists_[block_class];
        const current_slabs& current = current_[block_class];
        for (slab* const each : current.slabs) {
            if (each == nullptr) break;
            if (each->batches == nullptr) continue;
            unpack(list, *each);
            return true;
        }
        // All but the newest are cut whole.
        if (current.slabs[0] != nullptr) cut(list, *current.slabs[0], block_class);
        return list != nullptr;
    }

    // Effects: puts some of the blocks that have come home into the list.
    void unpack(free_block*& list, slab& from) noexcept {
        void* blocks[most_unpacked];
        std::size_t count = 0;
        while (count < most_unpacked && from.batches != nullptr) {
            block_batch* const batch = from.batches;
            if (read_free(batch).length == 0) {
                from.batches = batch->following();
                if constexpr (has_canaries) block_canary<Sizes>::fill(batch, Sizes::bytes_of(from.block_class));
                blocks[count++] = batch;
                continue;
            }
            const place_in_slab place = batch->take_place();
            block_batch* const named = batch->block_at(place);
            if constexpr (is_hardened) {
                if (!block_states<Sizes::granularity>::is_freed(named)) abort_with("a free block was written to");
            }
            __builtin_prefetch(named, 1);
            if ((place & block_batch::holds_batch) != 0) {
                from.batches = named;
                named->set_next(batch);
            } else {
                blocks[count++] = named;
            }
        }
        random_.shuffle(blocks, count);
        while (count > 0) list = set_next(blocks[--count], list);
    }

    // Effects: puts fresh blocks into the list, in address order, so that neighbors share cache lines; in a hardened
    // program in random order. Only those that begin in one page, as each fresh page costs a fault.
    void cut(free_block*& list, slab& from, std::size_t block_class) noexcept {
        const std::size_t bytes = Sizes::bytes_of(block_class);
        const std::size_t end = layout_of(block_class).first + blocks_of(block_class) * bytes;
        const std::size_t page_end = detail::smaller(round_up(from.uncut + 1, smallest_page), end);
        const std::size_t first = from.uncut;
        std::size_t next = first;
        while (next < page_end) next += bytes;
        from.uncut = static_cast<std::uint32_t>(next);
        if constexpr (is_hardened) {
            place_in_slab places[smallest_page / Sizes::granularity];
            std::size_t count = 0;
            for (std::size_t at = first; at != next; at += bytes) {
                places[count++] = static_cast<place_in_slab>(at / Sizes::granularity);
            }
            for (std::size_t i = 0; i < count; i += shuffled_together) {
                random_.shuffle(places + i, detail::smaller(shuffled_together, count - i));
            }
            while (count > 0) {
                list = detail::set_next(from.memory() + places[--count] * Sizes::granularity, list);
                block_states<Sizes::granularity>::begin(list);
                if constexpr (has_canaries) block_canary<Sizes>::fill(list, bytes);
            }
        } else {
            while (next != first) list = set_next(from.memory() + (next -= bytes), list);
        }
    }

    current_slabs current_[Sizes::count];
    slab_queue available_[Sizes::count];
    slab_queue empty_;
    std::size_t most_blocks_;
    std::size_t slabs_ = 0;   // of this heap
    std::size_t opened_ = 0;  // since put_all_aside()
    [[no_unique_address]] heap_random random_;
};

}  // namespace freehold::detail

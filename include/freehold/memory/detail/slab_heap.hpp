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
// In rounds, no slab is current: a list gets a few blocks at a time, and slabs count their frees at once. So a list
// runs empty again and again, also where a program frees as much as it allocates, and the pool does what is due at that
// time. A current slab would serve such a program for ever without a slow path.
//
// Thread safety: one thread at a time. Exceptions: none.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/annotate.hpp"
#include "../../core/block_arithmetic.hpp"
#include "../../core/config.hpp"
#include "../pool_statistics.hpp"
#include "block_batch.hpp"
#include "block_canary.hpp"
#include "block_states.hpp"
#include "byte_before.hpp"
#include "guarded_blocks.hpp"
#include "hardening.hpp"
#include "slab.hpp"
#include "slab_blocks.hpp"
#include "slab_pages.hpp"
#include "slab_walk.hpp"

namespace freehold::inline v0_2::detail {

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

    void push_front(Slab* added) noexcept {
        push(added);
        first_ = added;
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
    explicit slab_heap(std::size_t most_blocks = slab_bytes) noexcept : blocks_(most_blocks) {}

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
            if (!this->countdown_.start(guarded_blocks::distance(blocks_.random()))) return nullptr;
            return guarded_blocks::allocate(Sizes::bytes_of(block_class), blocks_.random());
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
        if constexpr (is_hardened) fresh->bytes_of_hardened = static_cast<std::uint16_t>(bytes);
        if (!is_as_left) {
            if constexpr (is_hardened) block_states<Sizes::granularity>::clear(fresh, sizeof(slab));
            fresh->free = nullptr;
            fresh->batches = nullptr;
            fresh->uncut = slab_pages::all;
        }
        if constexpr (has_canaries) byte_before<Sizes>::open(fresh);
        fresh->due = 0;
        fresh->rest = 0;
        serve_from(*fresh, block_class);
        ++slabs_;
        ++opened_;
    }

    // Effects: serves blocks in rounds from now on, or no longer. put_all_aside() comes next if it begins.
    void take_in_rounds(bool are_rounds) noexcept { is_in_rounds_ = are_rounds; }

    [[nodiscard]] bool is_in_rounds() const noexcept { return is_in_rounds_; }

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
            counted->due = std::exchange(counted->rest, 0);
            is_all_idle_ = false;
            list(*counted, block_class, second_);
        } else {
            if (counted->next != nullptr) unlist(*counted, block_class);
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
    // empty. `send_home(block)` takes a block whose home is another one than `home`, which is that of this heap's
    // slabs. Complexity: linear in the free blocks.
    template <class SendHome>
    FREEHOLD_NOINLINE void put_all_aside(const block_lists* home, SendHome send_home) noexcept {
        opened_ = 0;
        for (std::size_t block_class = 0; block_class < Sizes::count; ++block_class) {
            const bool has_any = current_[block_class][0] != nullptr || lists_[block_class] != nullptr;
            if (has_any) put_aside(block_class, home, send_home);
        }
    }

    // Effects: calls discard(begin, bytes) for pages that no block needs, in slabs of which others are in use. Their
    // blocks are fresh again. Requires: put_all_aside() was called. Complexity: linear in the blocks of these slabs.
    template <class Discard>
    FREEHOLD_COLD FREEHOLD_NOINLINE void discard_pages(Discard discard) noexcept {
        for (const slab_queue& queue : available_) {
            slab* each = queue.first();
            if (each == nullptr) continue;
            do {
                discard_pages_of(*each, discard);
                each = each->next;
            } while (each != queue.first());
        }
    }

    // Returns: whether to call discard_idle(): in each of 64 calls, and while it has something to do.
    [[nodiscard]] bool is_idle_step_due() noexcept { return until_idle_step_-- == 0; }

    // Returns: whether many slabs have become available within a second or two, and discard_idle() has not come to all
    // of them since.
    [[nodiscard]] bool has_shrunk() const noexcept { return listed_ >= usually_listed_ + many_listed + slabs_ / 8; }

    // Effects: a step of the same for what was not needed for a second. It puts the current slabs of a size aside, as
    // put_all_aside(), or discards pages of one slab. When a second has begun, the steps go through all again, up to
    // most_in_vain looks in vain. Complexity: linear in the free blocks of the size, or in the blocks of the slab.
    template <class SendHome, class Discard>
    FREEHOLD_COLD FREEHOLD_NOINLINE void discard_idle(std::uint16_t second, const block_lists* home, SendHome send_home,
                                                      Discard discard) noexcept {
        until_idle_step_ = 0;
        if (second != second_) {
            second_ = second;
            next_idle_ = 0;
            if (!has_shrunk()) usually_listed_ = listed_;
            left_in_vain_ = most_in_vain;
            is_all_idle_ = true;
        }
        for (; next_idle_ != Sizes::count && left_in_vain_ != 0; ++next_idle_) {
            const bool has_any = current_[next_idle_][0] != nullptr || lists_[next_idle_] != nullptr;
            if (has_any && was_idle(used_in_[next_idle_])) return put_aside(next_idle_, home, send_home);
            slab* oldest = available_[next_idle_].first();
            if (oldest == nullptr) continue;
            if (oldest->previous->due_when_idle == 0 && !was_idle(oldest->previous->idle_since)) is_all_idle_ = false;
            if (is_in_rounds_) oldest = oldest->next;  // after the one that serves the rounds
            if (!was_idle(oldest->idle_since)) continue;
            // To the end of the queue: others, whose pages are there, are current before it.
            unlist(*oldest, next_idle_);
            const bool is_unchanged = oldest->due_when_idle == oldest->due;  // while no block is freed
            list(*oldest, next_idle_, second_);
            oldest->due_when_idle = oldest->due;
            if (is_unchanged) return;
            if (!discard_pages_of(*oldest, discard)) --left_in_vain_;
            return;
        }
        if (next_idle_ == Sizes::count && is_all_idle_) usually_listed_ = listed_;
        until_idle_step_ = 63;
    }

    // Returns: whether the block is in a list of this heap, or of its slab if that is at home in `home`, this heap. For
    // checks. Complexity: linear in the free blocks of its class.
    [[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE bool has_free(void* block, const block_lists* home) const noexcept {
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
        if (counted.is_current_of(this)) in_use = blocks_.pages_of(block_class).blocks_outside(counted.uncut);
        if (current_[block_class][0] == &counted) {
            for (const free_block* each = lists_[block_class]; each != nullptr; each = next_of(each)) --in_use;
        }
        found.add_slab(bytes, in_use, blocks_.count_of(block_class) - in_use);
    }

protected:
    using basic_block_lists<Sizes>::lists_;

    // Effects: fills the list of the class, if it is empty, from the heap's slabs. Returns: whether it has a block.
    [[nodiscard]] bool fill(std::size_t block_class) noexcept {
        used_in_[block_class] = second_;
        while (lists_[block_class] == nullptr && !extend(block_class)) {
            slab* const next = available_[block_class].first();
            if (next == nullptr) return false;
            unlist(*next, block_class);
            serve_from(*next, block_class);
        }
        return true;
    }

    // Effects: takes back the blocks of the batch, which belongs to this heap.
    void arrive(block_batch* batch) noexcept {
        slab* const origin = slab::of(batch);
        std::uint32_t left = read_free(batch).blocks;
        batch->set_next(std::exchange(origin->batches, batch));
        if (origin->is_current()) return;
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

    static constexpr std::size_t most_in_round = 32;

    static constexpr std::size_t many_listed = 128;  // 8 MiB

    // Looks at slabs of which no page is free, in a second: of up to 100 microseconds each, a hundredth of the time.
    static constexpr std::uint16_t most_in_vain = 100;

    // Effects: serves the class from the slab, which is in no queue.
    FREEHOLD_NOINLINE void serve_from(slab& chosen, std::size_t block_class) noexcept {
        if (is_in_rounds_) [[unlikely]]
            return take_round(chosen, block_class);
        make_current(chosen, block_class);
    }

    // Effects: makes the slab the newest current one, and puts the oldest aside. Requires: all blocks of these are in
    // use.
    void make_current(slab& chosen, std::size_t block_class) noexcept {
        const std::size_t most = Sizes::bytes_of(block_class) <= largest_of_four ? most_current : 1;
        slab* displaced = &chosen;
        for (std::size_t i = 0; i < most; ++i) displaced = std::exchange(current_[block_class][i], displaced);
        if (displaced != nullptr) {
            displaced->set_current_in(nullptr);
            displaced->due = 1;
            displaced->rest = static_cast<std::uint32_t>(blocks_.count_of(block_class) - 1);
        }
        chosen.set_current_in(this);
        chosen.next = nullptr;
        lists_[block_class] = std::exchange(chosen.free, nullptr);
    }

    // Effects: puts some blocks of the slab, which is in no queue, into the empty list.
    FREEHOLD_COLD FREEHOLD_NOINLINE void take_round(slab& chosen, std::size_t block_class) noexcept {
        free_block*& list = lists_[block_class];
        if (chosen.free != nullptr) {
            list = chosen.free;
            free_block* last = list;
            for (std::size_t left = most_in_round; --left != 0 && next_of(last) != nullptr;) last = next_of(last);
            chosen.free = next_of(last);
            detail::set_next(last, nullptr);
        } else if (chosen.batches != nullptr) {
            blocks_.unpack(list, chosen);
        } else {
            blocks_.cut(list, chosen, block_class);
        }
        std::uint32_t out = chosen.due + chosen.rest;
        for (const free_block* each = list; each != nullptr; each = next_of(each)) ++out;
        chosen.set_current_in(nullptr);
        if (chosen.free != nullptr || chosen.batches != nullptr || chosen.uncut != 0) {
            chosen.due = out;
            chosen.rest = 0;
            note_listed(chosen, second_);
            available_[block_class].push_front(&chosen);
        } else {
            chosen.due = 1;
            chosen.rest = out - 1;
        }
    }

    // Effects: puts the current slabs of the class aside, and the blocks of its list.
    template <class SendHome>
    FREEHOLD_NOINLINE void put_aside(std::size_t block_class, const block_lists* home, SendHome send_home) noexcept {
        for (slab*& current : current_[block_class]) {
            slab* const each = std::exchange(current, nullptr);
            if (each != nullptr) wait(*each, block_class);
        }
        free_block*& list = lists_[block_class];
        while (free_block* const block = list) {
            list = next_of(block);
            if constexpr (has_canaries) block_canary<Sizes>::check_free(block, Sizes::bytes_of(block_class));
            slab* const origin = slab::of(block);
            if (origin->home != home) {
                send_home(block);
            } else if (origin->push(block)) {
                requeue(origin);
            }
        }
    }

    // Effects: the slab, of which blocks are free, is the last one to become current again. Its free blocks were not
    // needed since that second.
    void list(slab& added, std::size_t block_class, std::uint16_t since) noexcept {
        note_listed(added, since);
        available_[block_class].push(&added);
    }

    void note_listed(slab& added, std::uint16_t since) noexcept {
        added.idle_since = since;
        added.due_when_idle = 0;
        ++listed_;
    }

    void unlist(slab& removed, std::size_t block_class) noexcept {
        available_[block_class].remove(&removed);
        --listed_;
    }

    // Returns: whether a whole second has passed since.
    [[nodiscard]] bool was_idle(std::uint16_t since) const noexcept {
        return static_cast<std::uint16_t>(second_ - since) >= 2;
    }

    // Returns: whether there were any.
    template <class Discard>
    bool discard_pages_of(slab& aside, Discard discard) noexcept {
        const slab_pages::mask unused = blocks_.uncut(aside);
        slab_pages::visit_runs(unused, [&](std::size_t begin, std::size_t end) {
            discard(aside.memory() + begin * smallest_page, (end - begin) * smallest_page);
        });
        return unused != 0;
    }

    // Effects: makes the slab, which was current, wait for the blocks that are neither fresh nor in a batch. Out of
    // line: the loop of put_all_aside() keeps its variables in registers.
    FREEHOLD_NOINLINE void wait(slab& waiting, std::size_t block_class) noexcept {
        std::size_t out = blocks_.pages_of(block_class).blocks_outside(waiting.uncut);
        for (const block_batch* each = waiting.batches; each != nullptr; each = each->following()) {
            out -= read_free(each).blocks;
        }
        waiting.set_current_in(nullptr);
        waiting.due = static_cast<std::uint32_t>(out);
        waiting.rest = 0;
        list(waiting, block_class, used_in_[block_class]);
        if (out == 0) requeue(&waiting);
    }

    // Effects: fills the empty list with blocks of the current slabs. Returns: whether there were any.
    bool extend(std::size_t block_class) noexcept {
        free_block*& list = lists_[block_class];
        for (slab* const each : current_[block_class]) {
            if (each == nullptr) break;
            if (each->batches == nullptr) continue;
            blocks_.unpack(list, *each);
            return true;
        }
        // The older ones have no uncut page.
        if (slab* const newest = current_[block_class][0]) blocks_.cut(list, *newest, block_class);
        return list != nullptr;
    }

    slab* current_[Sizes::count][most_current] = {};  // of each class, the newest first; null where there are fewer
    slab_queue available_[Sizes::count];
    slab_queue empty_;
    std::uint16_t used_in_[Sizes::count] = {};  // the second in which the list of the class ran empty last
    slab_blocks<Sizes> blocks_;
    std::size_t slabs_ = 0;   // of this heap
    std::size_t opened_ = 0;  // since put_all_aside()
    std::uint16_t second_ = 0;
    std::uint16_t until_idle_step_ = 0;  // calls of is_idle_step_due()
    std::uint16_t left_in_vain_ = 0;
    bool is_all_idle_ = true;         // what discard_idle() has met in this second
    std::size_t listed_ = 0;          // slabs that are available
    std::size_t usually_listed_ = 0;  // when the second began, or discard_idle() had come to all
    std::size_t next_idle_ = 0;       // the class that discard_idle() comes to next
    bool is_in_rounds_ = false;
};

}  // namespace freehold::detail

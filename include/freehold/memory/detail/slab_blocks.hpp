#pragma once
// slab_blocks: the free blocks of one slab. They are cut from its pages a page at a time, unpacked from the batches
// that have come home, and given up with the pages that nobody needs.
//
// Thread safety: one thread at a time. Exceptions: none.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/block_arithmetic.hpp"
#include "../../core/config.hpp"
#include "block_batch.hpp"
#include "block_canary.hpp"
#include "block_states.hpp"
#include "guarded_blocks.hpp"
#include "hardening.hpp"
#include "slab.hpp"
#include "slab_pages.hpp"
#include "slab_walk.hpp"

namespace freehold::inline v0_2::detail {

// Sizes is slab_class or another table with the same functions.
template <class Sizes>
class slab_blocks {
public:
    // A slab is cut into at most `most_blocks` blocks.
    explicit slab_blocks(std::size_t most_blocks) noexcept : most_blocks_(most_blocks) {}

    [[nodiscard]] heap_random& random() noexcept { return random_; }

    // Returns: the number of blocks of a slab.
    [[nodiscard]] std::size_t count_of(std::size_t block_class) const noexcept {
        return detail::smaller(layout_of(block_class).count, most_blocks_);
    }

    [[nodiscard]] slab_pages pages_of(std::size_t block_class) const noexcept {
        return {{layout_of(block_class).first, count_of(block_class)}, Sizes::bytes_of(block_class)};
    }

    // Effects: puts some of the blocks that have come home into the list.
    FREEHOLD_NOINLINE void unpack(free_block*& list, slab& from) noexcept {
        void* blocks[most_unpacked];
        std::size_t count = 0;
        while (count < most_unpacked && from.batches != nullptr) {
            block_batch* const batch = from.batches;
            if (read_free(batch).length == 0) {
                from.batches = batch->following();
                if constexpr (has_canaries) {
                    block_canary<Sizes>::fill_again(batch, &batch->length, block_batch::bytes(0) - sizeof(batch->next));
                    block_canary<Sizes>::end_holding(batch, Sizes::bytes_of(from.block_class));
                }
                blocks[count++] = batch;
                continue;
            }
            const place_in_slab place = batch->take_place();
            if constexpr (has_canaries) {
                block_canary<Sizes>::fill_again(batch, batch->address_of_place(batch->length), sizeof(place));
            }
            block_batch* const named = batch->block_at(place);
            if constexpr (is_hardened) {
                if (!block_states<Sizes::granularity>::is_freed(named)) abort_at_link(batch);
            }
            FREEHOLD_PREFETCH(named, 1);
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

    // Effects: puts the blocks of an uncut page into the empty list, in address order, so that neighbors share cache
    // lines; in a hardened program in random order.
    void cut(free_block*& list, slab& from, std::size_t block_class) noexcept {
        const slab_pages pages = pages_of(block_class);
        while (from.uncut != 0 && list == nullptr) {
            const auto page = static_cast<std::size_t>(std::countr_zero(from.uncut));
            from.uncut &= static_cast<slab_pages::mask>(from.uncut - 1);
            const std::size_t first = pages.first_in(page);
            cut(list, from.memory() + pages.offset_of(first), pages.first_in(page + 1) - first,
                Sizes::bytes_of(block_class));
        }
    }

    // Effects: takes the blocks of free pages out of the slab's list and its batches. Returns: those of the pages that
    // no block needs. Requires: the slab is not current.
    [[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE slab_pages::mask uncut(slab& aside) noexcept {
        while (aside.batches != nullptr) unpack(aside.free, aside);
        const slab_pages pages = pages_of(aside.block_class);
        const slab_walk<Sizes> lists(aside);
        const auto is_free = [&](std::size_t index) {
            return lists.is_free(index) || slab_pages::is_in(aside.uncut, pages.page_of(index));
        };
        const slab_pages::mask free = pages.free_pages(is_free);
        if (free == aside.uncut) return 0;
        // A free block has a link at its begin; in a hardened program it is filled.
        const auto is_needless = [&](std::size_t index) {
            return has_canaries ? slab_pages::is_in(free, pages.page_of(index)) : is_free(index);
        };
        const slab_pages::mask unused = pages.unused_pages(free, is_needless);
        free_block* rest = std::exchange(aside.free, nullptr);
        while (rest != nullptr) {
            free_block* const block = std::exchange(rest, next_of(rest));
            const auto offset = static_cast<std::size_t>(reinterpret_cast<std::byte*>(block) - aside.memory());
            if (!slab_pages::is_in(free, offset / smallest_page)) aside.free = set_next(block, aside.free);
        }
        aside.uncut = free;
        return unused;
    }

private:
    // At most this many blocks of a batch are put into the list at once: they are touched together.
    static constexpr std::size_t most_unpacked = 16;

    // In a hardened program, neighbors that change places. With more of them, programs whose objects lie in the order
    // of their allocation take longer: with 8 a tenth, with a whole page a half.
    static constexpr std::size_t shuffled_together = 4;

    [[nodiscard]] static constexpr block_layout layout_of(std::size_t block_class) noexcept {
        return detail::layout_of_class<Sizes>(block_class);
    }

    void cut(free_block*& list, std::byte* first, std::size_t count, std::size_t bytes) noexcept {
        if (count == 0) return;
        if constexpr (is_hardened) {
            void* blocks[smallest_page / Sizes::granularity];
            for (std::size_t i = 0; i != count; ++i) blocks[i] = first + i * bytes;
            for (std::size_t i = 0; i < count; i += shuffled_together) {
                random_.shuffle(blocks + i, detail::smaller(shuffled_together, count - i));
            }
            list = static_cast<free_block*>(blocks[0]);
            for (std::size_t i = 0; i != count; ++i) {
                detail::set_next(blocks[i], i + 1 != count ? static_cast<free_block*>(blocks[i + 1]) : nullptr);
                block_states<Sizes::granularity>::begin(blocks[i]);
                if constexpr (has_canaries) block_canary<Sizes>::fill(blocks[i], bytes);
            }
        } else {
            // Ascending: processors fetch what is written next. Descending takes half as long again beyond the cache.
            list = reinterpret_cast<free_block*>(first);
            std::byte* const last = first + (count - 1) * bytes;
            while (first != last) {
                std::byte* const next = first + bytes;
                detail::set_next(std::exchange(first, next), reinterpret_cast<free_block*>(next));
            }
            detail::set_next(last, nullptr);
        }
    }

    std::size_t most_blocks_;
    [[no_unique_address]] heap_random random_;
};

}  // namespace freehold::detail

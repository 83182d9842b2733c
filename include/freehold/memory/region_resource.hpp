#pragma once
// region_resource: freeing clears a block's mark, and a sweep finds free blocks again.
//
// Each size has slabs of 64 KiB, with a bit for each block. allocate takes the next block without a mark, in the order
// of addresses, and never goes back; deallocate clears the mark. A sweep restarts allocation at the first slab. It
// costs nothing itself: the marks are read 64 at a time as allocation reaches them. The resource sweeps at the end of
// its slabs, unless at most an eighth of the blocks is free: then it takes a quarter more slabs first. A slab serves
// any size once no block of it is in use, and allocation is not in it.
//
// `sweep_to(marker)` restarts at an earlier point, so that short-lived blocks are reused while they are in the cache.
//
// Thread safety: one thread at a time. Exceptions: allocate passes on what the upstream throws, if no block is free;
// then nothing has changed.
// Complexity: allocate is constant on average and at most a search through the marks; deallocate is constant.
// Cost: one bit a block, 88 bytes a slab; the resource itself has 3.3 KiB. It takes 64 to 256 KiB from the upstream at
// a time. They go back when all their blocks are freed, except for one such chunk, and for each size the one that holds
// the slab of allocation; trim() gives these back. A larger request than 2 KiB comes from the upstream by itself, and
// goes back when it is freed. AddressSanitizer and Valgrind report a use of a freed block.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <utility>

#include "../core/annotate.hpp"
#include "../core/block_arithmetic.hpp"
#include "../core/config.hpp"
#include "../core/memcheck.hpp"
#include "detail/chained_resource.hpp"
#include "detail/hardening.hpp"
#include "detail/large_blocks.hpp"
#include "detail/size_class.hpp"
#include "detail/slab_cache.hpp"
#include "detail/slab_source.hpp"
#include "detail/upstream.hpp"

namespace freehold::inline v0_2::detail {

// A slab with a mark for each block that is in use or reserved.
//
// Allocation reserves the unmarked blocks of a word of marks at once. Serving one of them then touches no mark.
class marked_slab : public slab_in_chunk<marked_slab> {
public:
    static constexpr std::size_t marks_per_word = 64;

    // Effects: makes it serve the class, with no block in use. Requires: it is at the beginning of a slab.
    void open(std::size_t index) noexcept {
        block_class = static_cast<std::uint16_t>(index);
        block_bytes_ = static_cast<std::uint32_t>(size_class::bytes_of(index));
        in_use_ = 0;
        reciprocal_ = reciprocal_of(block_bytes_);
        const std::size_t most_marks = words_for(slab_bytes / block_bytes_) * sizeof(std::uint64_t);
        const block_layout layout = layout_of_slab(sizeof(marked_slab) + most_marks, block_bytes_);
        first_ = static_cast<std::uint32_t>(layout.first);
        blocks_ = static_cast<std::uint32_t>(layout.count);
        tell_free(begin(), layout.count * block_bytes_);
        tell_allocated(marks(), most_marks);
        for (std::size_t word = 0; word < words(); ++word) marks()[word] = 0;
        // The last marks have no blocks.
        if (blocks_ % marks_per_word != 0) marks()[words() - 1] = ~std::uint64_t{0} << blocks_ % marks_per_word;
    }

    [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
    [[nodiscard]] std::size_t words() const noexcept { return words_for(blocks_); }

    // Returns: the first of the blocks whose marks are in the word.
    [[nodiscard]] std::byte* first_of(std::size_t word) noexcept {
        return begin() + word * marks_per_word * block_bytes_;
    }

    // Effects: marks all blocks of the word. Returns: a bit for each that had no mark.
    [[nodiscard]] std::uint64_t reserve(std::size_t word) noexcept {
        const std::uint64_t unmarked = ~std::exchange(marks()[word], ~std::uint64_t{0});
        in_use_ += static_cast<std::uint32_t>(std::popcount(unmarked));
        return unmarked;
    }

    // Effects: clears the marks of blocks that were reserved and not served.
    void cancel(std::size_t word, std::uint64_t reserved) noexcept {
        marks()[word] &= ~reserved;
        in_use_ -= static_cast<std::uint32_t>(std::popcount(reserved));
    }

    // Effects: clears the mark of the block. Returns: whether no block is marked and allocation is in another slab.
    [[nodiscard]] bool unmark(void* block) noexcept {
        const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(block) - begin());
        const std::size_t index = index_of_block(offset, reciprocal_);
        FREEHOLD_HEAP_EXPECTS((marks()[index / marks_per_word] >> index % marks_per_word & 1) != 0,
                              "a block is freed twice", "freehold::region_resource");
        FREEHOLD_HEAP_EXPECTS(index * block_bytes_ == offset, "what is freed is not the beginning of a block",
                              "freehold::region_resource");
        marks()[index / marks_per_word] &= ~(std::uint64_t{1} << index % marks_per_word);
        annotate_free(block, block_bytes_);
        tell_fast_free(block, block_bytes_);
        return --in_use_ == 0;
    }

    // Effects: allocation comes into the slab.
    void enter() noexcept { ++in_use_; }

    // Effects: allocation leaves the slab. Returns: whether no block is marked.
    [[nodiscard]] bool leave() noexcept { return --in_use_ == 0; }

    // Returns: the number of blocks in use. `is_here`: whether allocation is in the slab, with those reserved.
    [[nodiscard]] std::size_t blocks_in_use(bool is_here, std::uint64_t reserved) const noexcept {
        return is_here ? in_use_ - 1 - static_cast<std::uint32_t>(std::popcount(reserved)) : in_use_;
    }

    // Effects: calls visit(block, bytes) for each block in use, by address. Those reserved are in `word`.
    template <class Visit>
    void visit_blocks_in_use(std::size_t word, std::uint64_t reserved, Visit& visit) {
        for (std::size_t i = 0; i < blocks_; ++i) {
            const std::uint64_t bit = std::uint64_t{1} << i % marks_per_word;
            const bool is_reserved = i / marks_per_word == word && (reserved & bit) != 0;
            if ((marks()[i / marks_per_word] & bit) == 0 || is_reserved) continue;
            visit(static_cast<void*>(begin() + i * block_bytes_), std::size_t{block_bytes_});
        }
    }

    marked_slab* next = nullptr;  // of the class
    marked_slab* previous = nullptr;

private:
    [[nodiscard]] static constexpr std::size_t words_for(std::size_t blocks) noexcept {
        return (blocks + marks_per_word - 1) / marks_per_word;
    }

    [[nodiscard]] std::byte* begin() noexcept { return reinterpret_cast<std::byte*>(this) + first_; }
    [[nodiscard]] std::uint64_t* marks() noexcept { return reinterpret_cast<std::uint64_t*>(this + 1); }

    std::uint64_t reciprocal_;  // of block_bytes_
    std::uint32_t block_bytes_;
    std::uint32_t first_;  // the offset of the first block, after a mark for each
    std::uint32_t blocks_;
    std::uint32_t in_use_;  // the blocks that are marked, and 1 while allocation is in the slab
};

}  // namespace freehold::detail

namespace freehold::inline v0_2 {

class region_resource final : public detail::slab_resource<region_resource, detail::marked_slab> {
    friend slab_resource;

    static constexpr std::size_t largest = 2048;
    static constexpr std::size_t classes = detail::size_class::of(largest) + 1;

    using marked_slab = detail::marked_slab;

    // The position of allocation in a class.
    struct position {
        marked_slab* slab = nullptr;
        std::size_t word = 0;
        std::byte* first = nullptr;  // the first block of the word
        std::uint64_t reserved = 0;  // the blocks of the word that are still to be served
    };

    struct marked_place {
        marked_slab* slab = nullptr;
        std::size_t word = 0;
        std::uint64_t slabs_left = 0;  // the class, before
    };

public:
    // A point in the sequence of allocations, for sweep_to.
    class marker {
        friend region_resource;
        marked_place places_[classes];
    };

    // Effects: takes memory from the default resource if the program has set one, else from the shared page cache.
    region_resource() noexcept : region_resource(detail::default_upstream()) {}

    explicit region_resource(std::pmr::memory_resource* upstream) noexcept : slab_resource(upstream) {}

    ~region_resource() override { release(); }

    // As std::pmr::memory_resource::allocate; 0 bytes have an address of their own. Throws: what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        bytes += bytes == 0;
        const std::size_t size = detail::size_class::rounded(bytes, alignment);
        if (size - 1 >= largest) [[unlikely]]
            return large_.allocate(bytes, alignment, *upstream_);
        const std::size_t index = detail::size_class::of(size);
        position& next = positions_[index];
        if (next.reserved == 0) [[unlikely]]
            go_on(index, bytes);
        const auto bit = static_cast<std::size_t>(std::countr_zero(next.reserved));
        next.reserved &= next.reserved - 1;
        std::byte* const block = next.first + bit * detail::size_class::bytes_of(index);
        detail::annotate_allocated(block, bytes);
        return block;
    }

    // As std::pmr::memory_resource::deallocate. A sweep will find the block.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        bytes += bytes == 0;
        if (detail::size_class::rounded(bytes, alignment) > largest) [[unlikely]] {
            large_.deallocate(block, bytes, *upstream_);
            return;
        }
        detail::expect_allocated(block, bytes);
        marked_slab& slab = *detail::header_of<marked_slab>(block, detail::slab_bytes);
        FREEHOLD_HEAP_EXPECTS(slab.block_class == detail::size_class::of(detail::size_class::rounded(bytes, alignment)),
                              detail::freed_otherwise, "freehold::region_resource");
        FREEHOLD_HEAP_EXPECTS(!is_reserved(block, slab), "a block is freed twice", "freehold::region_resource");
        if (slab.unmark(block)) [[unlikely]]
            give_back(slab);
    }

    [[nodiscard]] marker mark() const noexcept {
        marker now;
        for (std::size_t i = 0; i < classes; ++i) {
            now.places_[i] = {positions_[i].slab, positions_[i].word, slabs_left_[i]};
        }
        return now;
    }

    // Effects: restarts allocation at the marker, so that blocks allocated and freed since are reused; for a size of
    // which a slab has become empty since, at the first slab.
    // Requires: the marker is of this resource, which was not released since.
    void sweep_to(const marker& begin) noexcept {
        for (std::size_t i = 0; i < classes; ++i) {
            if (slabs_[i] == nullptr) continue;
            const marked_place& then = begin.places_[i];
            // Else the slab may be another resource's memory by now.
            const bool is_there = then.slab != nullptr && then.slabs_left == slabs_left_[i];
            go_to(i, is_there ? then.slab : slabs_[i], is_there ? then.word : 0);
            if (detail::is_memcheck()) hold_back(i);
        }
    }

    // Effects: restarts allocation at the first slab of each size, so that all freed blocks are reused.
    void sweep() noexcept { sweep_to(marker()); }

    // Effects: frees all blocks and gives all memory back.
    void release() noexcept {
        source_.release(*upstream_);
        for (std::size_t i = 0; i < classes; ++i) {
            slabs_[i] = nullptr;
            positions_[i] = position();
            held_back_[i] = 0;
            to_come_[i] = 0;
        }
        large_.release(*upstream_);
    }

private:
    // Returns: whether the block is one of those that allocation has reserved.
    [[nodiscard]] bool is_reserved(const void* block, const marked_slab& slab) const noexcept {
        const position& here = positions_[slab.block_class];
        const auto offset = reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(here.first);
        const std::size_t bit = offset / detail::size_class::bytes_of(slab.block_class);
        return here.slab == &slab && bit < marked_slab::marks_per_word && (here.reserved >> bit & 1) != 0;
    }

    // Effects: makes allocation go on at the word of the slab, or nowhere.
    void go_to(std::size_t index, marked_slab* slab, std::size_t word) noexcept {
        position& here = positions_[index];
        const position before = here;
        if (before.slab != nullptr) {
            before.slab->cancel(before.word, before.reserved | std::exchange(held_back_[index], 0));
        }
        here = position();
        if (slab != nullptr) {
            slab->enter();
            here.slab = slab;
            reserve(here, word);
        }
        if (before.slab != nullptr && before.slab->leave()) give_back(*before.slab);
    }

    static void reserve(position& here, std::size_t word) noexcept {
        here.word = word;
        here.reserved = here.slab->reserve(word);
        here.first = here.slab->first_of(word);
    }

    // Effects: makes the slab serve any class. Requires: allocation is not in it, and no block is in use.
    FREEHOLD_NOINLINE void give_back(marked_slab& empty) noexcept {
        const std::size_t index = empty.block_class;
        (empty.previous != nullptr ? empty.previous->next : slabs_[index]) = empty.next;
        if (empty.next != nullptr) empty.next->previous = empty.previous;
        ++slabs_left_[index];
        source_.give_back(*upstream_, &empty);
    }

    // Effects: makes the slabs that allocation is in serve any class, if no block of theirs is in use.
    void give_back_idle() noexcept {
        for (std::size_t i = 0; i < classes; ++i) {
            const position& here = positions_[i];
            if (here.slab == nullptr || here.slab->blocks_in_use(true, here.reserved | held_back_[i]) != 0) continue;
            go_to(i, nullptr, 0);
        }
    }

    // Effects: goes to the next unmarked blocks of the class; under memcheck to one, which it reports as `bytes` long.
    FREEHOLD_NOINLINE void go_on(std::size_t index, std::size_t bytes) {
        if (!detail::is_memcheck()) return find_anywhere(index);
        if (held_back_[index] == 0) {
            find_anywhere(index);
            hold_back(index);
        }
        position& next = positions_[index];
        next.reserved = held_back_[index] & (0 - held_back_[index]);
        held_back_[index] &= held_back_[index] - 1;
        const auto bit = static_cast<std::size_t>(std::countr_zero(next.reserved));
        const std::size_t block_bytes = detail::size_class::bytes_of(index);
        std::byte* const block = next.first + bit * block_bytes;
        detail::tell_free(block, block_bytes);  // the rest of a block that was longer before
        detail::tell_allocated(block, bytes);
    }

    void hold_back(std::size_t index) noexcept { held_back_[index] = std::exchange(positions_[index].reserved, 0); }

    // Effects: goes to the next unmarked blocks of the class: of its slabs, of a new first one, or from the beginning.
    void find_anywhere(std::size_t index) {
        if (find(index)) return;
        if (to_come_[index] == 0) {
            std::size_t slabs = 0;
            std::size_t blocks = 0;
            std::size_t unmarked = 0;
            for (const marked_slab* slab = slabs_[index]; slab != nullptr; slab = slab->next) {
                ++slabs;
                blocks += slab->blocks();
                unmarked += slab->blocks() - slab->blocks_in_use(false, 0);
            }
            if (unmarked > blocks / 8) {
                start_again(index);
                return;
            }
            to_come_[index] = 1 + slabs / 4;
        }
        marked_slab* added = source_.try_take(*upstream_);
        if (added == nullptr) {
            to_come_[index] = 0;
            give_back_idle();
            start_again(index);
            if (positions_[index].slab != nullptr) return;
            // If no block is free, the exception is the upstream's.
            added = source_.take(*upstream_);
        }
        added->open(index);
        added->previous = nullptr;
        added->next = std::exchange(slabs_[index], added);
        if (added->next != nullptr) added->next->previous = added;
        to_come_[index] -= to_come_[index] > 0;
        go_to(index, added, 0);
    }

    // Effects: goes to a block without a mark. Returns: whether there is one before the end.
    bool find(std::size_t index) noexcept {
        position& next = positions_[index];
        while (next.slab != nullptr && next.reserved == 0) {
            if (next.word + 1 < next.slab->words()) {
                reserve(next, next.word + 1);
            } else {
                go_to(index, to_come_[index] == 0 ? next.slab->next : nullptr, 0);
            }
        }
        return next.slab != nullptr;
    }

    void start_again(std::size_t index) noexcept {
        go_to(index, slabs_[index], 0);
        find(index);
    }

    void tally(const marked_slab& counted, pool_statistics& found) const noexcept {
        const position& here = positions_[counted.block_class];
        const std::size_t live = counted.blocks_in_use(here.slab == &counted, here.reserved);
        found.add_slab(detail::size_class::bytes_of(counted.block_class), live, counted.blocks() - live);
    }

    template <class Visit>
    void visit_slab(marked_slab& visited, Visit& visit) {
        const position& here = positions_[visited.block_class];
        visited.visit_blocks_in_use(here.slab == &visited ? here.word : visited.words(), here.reserved, visit);
    }

    position positions_[classes];
    marked_slab* slabs_[classes] = {};
    std::uint64_t held_back_[classes] = {};   // of the reserved blocks at a position; only under memcheck
    std::uint64_t slabs_left_[classes] = {};  // the number of times that a slab has left the class
    std::size_t to_come_[classes] = {};       // slabs that are taken before the next sweep
    detail::slab_source<marked_slab> source_;
    detail::large_blocks large_;
};

}  // namespace freehold

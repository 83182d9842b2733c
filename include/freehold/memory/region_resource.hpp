#pragma once
// region_resource: freeing clears a block's mark, and a sweep finds free blocks again.
//
// Each size has slabs of 64 KiB, with a bit for each block. allocate takes the next block without a mark, in the order
// of addresses, and never goes back; deallocate clears the mark. A sweep restarts allocation at the first slab. It
// costs nothing itself: the marks are read 64 at a time as allocation reaches them. The resource sweeps at the end of
// its slabs, unless at most an eighth of the blocks is free: then it takes a quarter more slabs first.
//
// `sweep_to(marker)` restarts at an earlier point, so that short-lived blocks are reused while they are in the cache.
//
// Thread safety: one thread at a time. Exceptions: allocate passes on what the upstream throws, if no block is free;
// then nothing has changed.
// Complexity: allocate is constant on average and at most a search through the marks; deallocate is constant.
// Cost: one bit a block, 40 bytes a slab; the resource itself has 2.6 KiB. A block larger than 2 KiB is a request of
// its own to the upstream, and goes back when it is freed. AddressSanitizer and Valgrind report a use of a freed block.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <utility>

#include "../core/annotate.hpp"
#include "../core/block_arithmetic.hpp"
#include "../core/exceptions.hpp"
#include "../core/memcheck.hpp"
#include "detail/chained_resource.hpp"
#include "detail/large_blocks.hpp"
#include "detail/size_class.hpp"
#include "page_cache.hpp"

namespace freehold::detail {

// A slab with a mark for each block that is in use.
class marked_slab {
public:
    static constexpr std::size_t marks_per_word = 64;

    // Returns: a slab with no block in use, in front of `next`. Requires: `memory` is as large and aligned as a slab.
    static marked_slab* make(void* memory, std::size_t block_bytes, marked_slab* next) noexcept {
        return ::new (memory) marked_slab(block_bytes, next);
    }

    // Returns: the slab that the block is in.
    [[nodiscard]] static marked_slab& of(void* block) noexcept { return *header_of<marked_slab>(block, slab_bytes); }

    [[nodiscard]] marked_slab* next() const noexcept { return next_; }
    [[nodiscard]] std::size_t blocks() const noexcept { return layout_.count; }
    [[nodiscard]] std::size_t words() const noexcept { return words_for(layout_.count); }

    // Returns: the first of the blocks whose marks are in the word.
    [[nodiscard]] std::byte* first_of(std::size_t word) noexcept {
        return begin() + word * marks_per_word * block_bytes_;
    }

    // Returns: a bit for each block of the word that is not in use.
    [[nodiscard]] std::uint64_t unmarked(std::size_t word) const noexcept { return ~marks()[word]; }

    [[nodiscard]] std::size_t unmarked() const noexcept {
        std::size_t count = 0;
        for (std::size_t word = 0; word < words(); ++word) {
            count += static_cast<std::size_t>(std::popcount(unmarked(word)));
        }
        return count;
    }

    void mark(std::size_t word, std::uint64_t bit) noexcept { marks()[word] |= bit; }

    // Effects: the block is no longer in use.
    void unmark(void* block) noexcept {
        const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(block) - begin());
        const std::size_t index = index_of_block(offset, reciprocal_);
        marks()[index / marks_per_word] &= ~(std::uint64_t{1} << index % marks_per_word);
        annotate_free(block, block_bytes_);
        tell_fast_free(block, block_bytes_);
    }

    // Effects: marks the blocks as allocated again, for the upstream.
    void end() noexcept { tell_allocated(begin(), layout_.count * block_bytes_); }

private:
    marked_slab(std::size_t block_bytes, marked_slab* next) noexcept
        : next_(next),
          block_bytes_(block_bytes),
          reciprocal_(reciprocal_of(block_bytes)),
          layout_(layout_of_slab(sizeof(marked_slab) + words_for(slab_bytes / block_bytes) * sizeof(std::uint64_t),
                                 block_bytes)) {
        for (std::size_t word = 0; word < words(); ++word) marks()[word] = 0;
        // The last marks have no blocks.
        if (layout_.count % marks_per_word != 0) mark(words() - 1, ~std::uint64_t{0} << layout_.count % marks_per_word);
        tell_free(begin(), layout_.count * block_bytes_);
    }

    [[nodiscard]] static constexpr std::size_t words_for(std::size_t blocks) noexcept {
        return (blocks + marks_per_word - 1) / marks_per_word;
    }

    [[nodiscard]] std::byte* begin() noexcept { return reinterpret_cast<std::byte*>(this) + layout_.first; }
    [[nodiscard]] std::uint64_t* marks() noexcept { return reinterpret_cast<std::uint64_t*>(this + 1); }
    [[nodiscard]] const std::uint64_t* marks() const noexcept {
        return reinterpret_cast<const std::uint64_t*>(this + 1);
    }

    marked_slab* next_;
    std::size_t block_bytes_;
    std::uint64_t reciprocal_;  // of block_bytes_
    block_layout layout_;       // after a mark for each block
};

}  // namespace freehold::detail

namespace freehold {

class region_resource final : public detail::chained_resource<region_resource> {
    static constexpr std::size_t largest = 2048;
    static constexpr std::size_t classes = detail::size_class::of(largest) + 1;

    // The position of allocation in a class.
    struct position {
        detail::marked_slab* slab = nullptr;
        std::size_t word = 0;
        std::uint64_t unmarked = 0;  // the blocks of the word that are still to be served
    };

public:
    // A point in the sequence of allocations, for sweep_to.
    class marker {
        friend region_resource;
        position positions_[classes];
    };

    // Effects: takes memory from the default resource if the program has set one, else from the shared page cache.
    region_resource() noexcept : region_resource(detail::default_upstream()) {}

    explicit region_resource(std::pmr::memory_resource* upstream) noexcept : chained_resource(upstream) {}

    region_resource(const region_resource&) = delete;
    region_resource& operator=(const region_resource&) = delete;

    ~region_resource() override { release(); }

    // Returns: `bytes` bytes aligned to `alignment`. The address is unique even if `bytes` is 0.
    // Requires: `alignment` is a power of two.
    // Throws: what the upstream throws.
    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
        bytes += bytes == 0;
        const std::size_t size = detail::size_class::rounded(bytes, alignment);
        if (size - 1 >= largest) [[unlikely]]
            return large_.allocate(*upstream_, bytes, alignment);
        const std::size_t index = detail::size_class::of(size);
        position& next = positions_[index];
        if (next.unmarked == 0) [[unlikely]]
            go_on(index, bytes);
        const auto bit = static_cast<std::size_t>(std::countr_zero(next.unmarked));
        next.slab->mark(next.word, next.unmarked & (0 - next.unmarked));
        next.unmarked &= next.unmarked - 1;
        std::byte* const block = next.slab->first_of(next.word) + bit * detail::size_class::bytes_of(index);
        detail::annotate_allocated(block, bytes);
        return block;
    }

    // Effects: clears the mark of the block. A sweep will find it.
    // Requires: allocate(bytes, alignment) returned `block`, and it was not freed since.
    void deallocate(void* block, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
        bytes += bytes == 0;
        if (detail::size_class::rounded(bytes, alignment) > largest) [[unlikely]] {
            large_.deallocate(*upstream_, block, bytes);
        } else {
            detail::marked_slab::of(block).unmark(block);
        }
    }

    [[nodiscard]] marker mark() const noexcept {
        marker now;
        for (std::size_t i = 0; i < classes; ++i) now.positions_[i] = positions_[i];
        return now;
    }

    // Effects: restarts allocation at the marker, so that blocks allocated and freed since are reused.
    // Requires: the marker is of this resource, which was not released since.
    void sweep_to(const marker& begin) noexcept {
        for (std::size_t i = 0; i < classes; ++i) {
            // A class that had no slab yet is swept from its first one.
            const position& then = begin.positions_[i];
            go_to(positions_[i], then.slab != nullptr ? then.slab : slabs_[i], then.word);
            if (detail::is_memcheck()) hold_back(i);
        }
    }

    // Effects: restarts allocation at the first slab of each size, so that all freed blocks are reused.
    void sweep() noexcept { sweep_to(marker()); }

    // Effects: frees all blocks and gives all memory back.
    void release() noexcept {
        for (std::size_t i = 0; i < classes; ++i) {
            while (slabs_[i] != nullptr) {
                detail::marked_slab* const old = slabs_[i];
                slabs_[i] = old->next();
                old->end();
                upstream_->deallocate(old, detail::slab_bytes, detail::slab_bytes);
            }
            positions_[i] = position();
            held_back_[i] = 0;
            to_come_[i] = 0;
        }
        large_.release(*upstream_);
    }

private:
    static void go_to(position& to, detail::marked_slab* slab, std::size_t word) noexcept {
        to = {slab, word, slab != nullptr ? slab->unmarked(word) : 0};
    }

    // Effects: goes to the next blocks of the class without a mark; under memcheck to a single one, for `bytes` bytes,
    // so that each allocation comes here and is reported.
    [[gnu::noinline]] void go_on(std::size_t index, std::size_t bytes) {
        if (!detail::is_memcheck()) return find_anywhere(index);
        if (held_back_[index] == 0) {
            find_anywhere(index);
            hold_back(index);
        }
        position& next = positions_[index];
        next.unmarked = held_back_[index] & (0 - held_back_[index]);
        held_back_[index] &= held_back_[index] - 1;
        const auto bit = static_cast<std::size_t>(std::countr_zero(next.unmarked));
        const std::size_t block_bytes = detail::size_class::bytes_of(index);
        std::byte* const block = next.slab->first_of(next.word) + bit * block_bytes;
        detail::tell_free(block, block_bytes);  // the rest of a block that was longer before
        detail::tell_allocated(block, bytes);
    }

    void hold_back(std::size_t index) noexcept { held_back_[index] = std::exchange(positions_[index].unmarked, 0); }

    // Effects: goes to the next blocks of the class without a mark: of these slabs, of a new one, or from the
    // beginning.
    void find_anywhere(std::size_t index) {
        if (find(index)) return;
        if (to_come_[index] == 0) {
            std::size_t slabs = 0;
            std::size_t blocks = 0;
            std::size_t unmarked = 0;
            for (const detail::marked_slab* slab = slabs_[index]; slab != nullptr; slab = slab->next()) {
                ++slabs;
                blocks += slab->blocks();
                unmarked += slab->unmarked();
            }
            if (unmarked > blocks / 8) {
                start_again(index);
                return;
            }
            to_come_[index] = 1 + slabs / 4;
        }
        constexpr std::size_t bytes = detail::slab_bytes;
        if (void* const memory = detail::try_allocate(*upstream_, bytes, bytes)) {
            add_slab(index, memory);
            return;
        }
        to_come_[index] = 0;
        start_again(index);
        // If no block is free, the exception is the upstream's.
        if (positions_[index].slab == nullptr) add_slab(index, upstream_->allocate(bytes, bytes));
    }

    // Effects: goes to a block without a mark. Returns: whether there is one before the end.
    bool find(std::size_t index) noexcept {
        position& next = positions_[index];
        while (next.slab != nullptr && next.unmarked == 0) {
            if (++next.word < next.slab->words()) {
                next.unmarked = next.slab->unmarked(next.word);
            } else {
                go_to(next, to_come_[index] == 0 ? next.slab->next() : nullptr, 0);
            }
        }
        return next.slab != nullptr;
    }

    void start_again(std::size_t index) noexcept {
        go_to(positions_[index], slabs_[index], 0);
        find(index);
    }

    // Effects: puts a new slab in front of the others, and goes to it.
    void add_slab(std::size_t index, void* memory) noexcept {
        slabs_[index] = detail::marked_slab::make(memory, detail::size_class::bytes_of(index), slabs_[index]);
        to_come_[index] -= to_come_[index] > 0;
        go_to(positions_[index], slabs_[index], 0);
    }

    position positions_[classes];
    detail::marked_slab* slabs_[classes] = {};
    std::uint64_t held_back_[classes] = {};  // of the unmarked blocks at a position; only under memcheck
    std::size_t to_come_[classes] = {};      // slabs that are taken before the next sweep
    detail::large_blocks large_;
};

}  // namespace freehold

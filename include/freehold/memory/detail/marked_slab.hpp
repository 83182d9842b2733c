#pragma once
// A slab of blocks of one size, with a mark for each that is in use. It is found from the address of a block.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

#include "../../core/alignment.hpp"
#include "../../core/memcheck.hpp"

namespace freehold::detail {

class marked_slab {
public:
    // The size and alignment of a slab.
    static constexpr std::size_t bytes = std::size_t{64} * 1024;

    static constexpr std::size_t marks_per_word = 64;

    // Returns: a slab with no block in use, in front of `next`. Requires: `memory` is as large and aligned as a slab.
    static marked_slab* make(void* memory, std::size_t block_bytes, marked_slab* next) noexcept {
        return ::new (memory) marked_slab(block_bytes, next);
    }

    // Returns: the slab that the block is in.
    [[nodiscard]] static marked_slab& of(void* block) noexcept {
        auto* const place = static_cast<std::byte*>(block);
        return *reinterpret_cast<marked_slab*>(place - reinterpret_cast<std::uintptr_t>(block) % bytes);
    }

    [[nodiscard]] marked_slab* next() const noexcept { return next_; }
    [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
    [[nodiscard]] std::size_t words() const noexcept { return words_for(blocks_); }

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
        const std::size_t index = offset * reciprocal_ >> 32;
        marks()[index / marks_per_word] &= ~(std::uint64_t{1} << index % marks_per_word);
        annotate_free(block, block_bytes_);
        tell_fast_free(block, block_bytes_);
    }

    // Effects: marks the memory as allocated again, for the upstream.
    void end() noexcept { tell_allocated(begin(), blocks_ * block_bytes_); }

private:
    marked_slab(std::size_t block_bytes, marked_slab* next) noexcept
        : next_(next),
          block_bytes_(block_bytes),
          reciprocal_((std::uint64_t{1} << 32) / block_bytes + 1),
          begin_(begin_of(block_bytes)),
          blocks_((bytes - begin_) / block_bytes) {
        for (std::size_t word = 0; word < words(); ++word) marks()[word] = 0;
        // The last marks have no blocks.
        if (blocks_ % marks_per_word != 0) mark(words() - 1, ~std::uint64_t{0} << blocks_ % marks_per_word);
        tell_free(begin(), blocks_ * block_bytes_);
    }

    [[nodiscard]] static constexpr std::size_t words_for(std::size_t blocks) noexcept {
        return (blocks + marks_per_word - 1) / marks_per_word;
    }

    // Returns: the offset of the first block: after a mark for each, aligned to the largest power of two that divides
    // their size.
    [[nodiscard]] static std::size_t begin_of(std::size_t block_bytes) noexcept {
        const std::size_t marks = words_for(bytes / block_bytes) * sizeof(std::uint64_t);
        return round_up(sizeof(marked_slab) + marks, block_bytes & (0 - block_bytes));
    }

    [[nodiscard]] std::byte* begin() noexcept { return reinterpret_cast<std::byte*>(this) + begin_; }
    [[nodiscard]] std::uint64_t* marks() noexcept { return reinterpret_cast<std::uint64_t*>(this + 1); }
    [[nodiscard]] const std::uint64_t* marks() const noexcept {
        return reinterpret_cast<const std::uint64_t*>(this + 1);
    }

    marked_slab* next_;
    std::size_t block_bytes_;
    std::uint64_t reciprocal_;  // of block_bytes_, in 2^-32, rounded up: exact for offsets in a slab
    std::size_t begin_;
    std::size_t blocks_;
};

}  // namespace freehold::detail

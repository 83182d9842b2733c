#pragma once
// The sizes of pooled blocks: 8 bytes apart up to 256, then four to each doubling, up to 8 KiB.
//
// Not those of slab.hpp, which are 16 bytes apart: nodes of lists and trees have 24 and 40 bytes. A million
// blocks of 24 bytes take 24 MiB instead of 32, and freeing and allocating one takes 2.6 ns instead of 3.1.

#include <bit>
#include <cstddef>
#include <new>

#include "../../core/annotate.hpp"
#include "../../core/assert.hpp"
#include "free_link.hpp"

namespace freehold::detail {

// A list of free blocks, linked through the blocks themselves.
class free_list {
public:
    // The smallest block and its alignment, in bytes.
    static constexpr std::size_t granularity = sizeof(void*);

    [[nodiscard]] void* newest() const noexcept { return first_; }

    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

    // Effects: adds a block of `bytes` bytes, and marks it as free.
    void push(void* block, std::size_t bytes) noexcept {
        annotate_allocated(block, sizeof(link));
        first_ = ::new (block) link{{first_, block}};
        annotate_free(block, bytes);
    }

    // Returns: the block that was pushed last, taken out of the list. The caller marks it as allocated.
    // Requires: the list is not empty.
    [[nodiscard]] void* pop() noexcept {
        link* const block = first_;
        first_ = read_free(block).next.from(block);
        return block;
    }

    // Effects: calls visit(block) for each block.
    template <class Visit>
    void visit(Visit visit) const {
        for (const link* each = first_; each != nullptr; each = read_free(each).next.from(each)) visit(each);
    }

private:
    struct link {
        free_link<link> next;
    };

    link* first_ = nullptr;
};

// Every class is a multiple of each alignment that a request in it may have, if the request was rounded up to it.
struct size_class {
    static constexpr std::size_t granularity = free_list::granularity;
    static constexpr std::size_t largest_fine = 256;
    static constexpr std::size_t largest = 8192;
    static constexpr std::size_t fine = largest_fine / free_list::granularity;
    static constexpr std::size_t count =
        fine + 4 * static_cast<std::size_t>(std::countr_zero(largest) - std::countr_zero(largest_fine));

    // Returns: the size rounded up to the alignment; 0 if it is 0 or would wrap.
    // Requires: `alignment` is a power of two.
    [[nodiscard]] static constexpr std::size_t rounded(std::size_t bytes, std::size_t alignment) noexcept {
        FREEHOLD_EXPECTS(std::has_single_bit(alignment), "the alignment is not a power of two");
        return (bytes + alignment - 1) & ~(alignment - 1);
    }

    // Returns: the class of blocks of `bytes` bytes. Requires: 0 < bytes <= largest_fine.
    [[nodiscard]] static constexpr std::size_t of_fine(std::size_t bytes) noexcept {
        return (bytes - 1) / free_list::granularity;
    }

    // Requires: 0 < bytes <= largest.
    [[nodiscard]] static constexpr std::size_t of(std::size_t bytes) noexcept {
        if (bytes <= largest_fine) return of_fine(bytes);
        // Standard libraries differ in the type of a width.
        const auto width = static_cast<std::size_t>(std::bit_width((bytes - 1) / largest_fine));
        const std::size_t quarter = (bytes - 1) / ((largest_fine / 8) << width);
        return fine + 4 * (width - 1) + quarter - 4;
    }

    // Returns: the bytes of a block of the class.
    [[nodiscard]] static constexpr std::size_t bytes_of(std::size_t index) noexcept {
        if (index < fine) return (index + 1) * free_list::granularity;
        return ((largest_fine / 4) << (index - fine) / 4) * (5 + (index - fine) % 4);
    }
};

}  // namespace freehold::detail

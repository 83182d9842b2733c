#pragma once
// slab_pages: which blocks of a slab begin in which of its pages. A page whose blocks are in no list, and not in use,
// is uncut: fresh, or free to be given back.
//
// Blocks are cut a page at a time, as each fresh page costs a fault.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../core/alignment.hpp"
#include "../../core/block_arithmetic.hpp"
#include "../../core/platform/pages.hpp"

namespace freehold::inline v0_2::detail {

class slab_pages {
public:
    using mask = std::uint16_t;  // a bit for each page

    static constexpr std::size_t count = slab_bytes / smallest_page;
    static constexpr mask all = (1U << count) - 1;

    constexpr slab_pages(block_layout blocks, std::size_t block_bytes) noexcept
        : blocks_(blocks), block_bytes_(static_cast<std::uint32_t>(block_bytes)) {}

    [[nodiscard]] static constexpr bool is_in(mask pages, std::size_t page) noexcept {
        return (pages >> page & 1) != 0;
    }

    // Effects: calls visit(begin, end) for each run of neighbors among the pages.
    template <class Visit>
    static constexpr void visit_runs(mask pages, Visit visit) {
        for (std::size_t end = 0; pages >> end != 0;) {
            const std::size_t begin = end + static_cast<std::size_t>(std::countr_zero(unsigned{pages} >> end));
            end = begin + static_cast<std::size_t>(std::countr_one(unsigned{pages} >> begin));
            visit(begin, end);
        }
    }

    // Returns: the index of the first block that begins in the page or behind it.
    [[nodiscard]] constexpr std::size_t first_in(std::size_t page) const noexcept {
        const std::size_t begin = page * smallest_page;
        if (begin <= blocks_.first) return 0;
        const auto before = static_cast<std::uint32_t>(begin - blocks_.first + block_bytes_ - 1);
        return detail::smaller(before / block_bytes_, blocks_.count);
    }

    [[nodiscard]] constexpr std::size_t offset_of(std::size_t index) const noexcept {
        return blocks_.first + index * block_bytes_;
    }

    [[nodiscard]] constexpr std::size_t page_of(std::size_t index) const noexcept {
        return offset_of(index) / smallest_page;
    }

    // Returns: the number of blocks that do not begin in one of the pages.
    [[nodiscard]] constexpr std::size_t blocks_outside(mask pages) const noexcept {
        std::size_t found = blocks_.count;
        visit_runs(pages, [&](std::size_t begin, std::size_t end) { found -= first_in(end) - first_in(begin); });
        return found;
    }

    // Returns: the pages in which only blocks begin for which is_free(index) holds, or none.
    template <class IsFree>
    [[nodiscard]] mask free_pages(IsFree is_free) const noexcept {
        mask found = all;
        for (std::size_t index = 0; index < blocks_.count; ++index) {
            if (!is_free(index)) found &= static_cast<mask>(~(1U << page_of(index)));
        }
        return found;
    }

    // Returns: those of the pages that hold neither the header nor a part of a block for which is_free(index) does not
    // hold.
    template <class IsFree>
    [[nodiscard]] mask unused_pages(mask pages, IsFree is_free) const noexcept {
        for (std::size_t page = 0; page < count; ++page) {
            const std::size_t next = first_in(page);
            const bool has_header = page * smallest_page < blocks_.first;
            const bool has_part = next != 0 && offset_of(next) > page * smallest_page && !is_free(next - 1);
            if (has_header || has_part) pages &= static_cast<mask>(~(1U << page));
        }
        return pages;
    }

private:
    block_layout blocks_;
    std::uint32_t block_bytes_;
};

}  // namespace freehold::detail

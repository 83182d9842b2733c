#pragma once
// What the system can do with pages that a program has: other pages of memory behind them, their growth, their access.
// Few headers need it, and pages.hpp is part of each that allocates.
//
// Thread safety: any thread may call any function. Exceptions: none. Cost: a system call each.

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "../config.hpp"
#include "pages.hpp"

#ifdef FREEHOLD_LINUX

#include <sys/mman.h>

namespace freehold::inline v0_2::detail {

// Effects: asks the system to back the pages with huge ones. It may refuse.
inline void prefer_huge_pages(void* begin, std::size_t bytes) noexcept { ::madvise(begin, bytes, MADV_HUGEPAGE); }

// Effects: asks the system for small pages, also where it uses huge ones unasked.
inline void prefer_small_pages(void* begin, std::size_t bytes) noexcept { ::madvise(begin, bytes, MADV_NOHUGEPAGE); }

// Effects: backs the pages with memory now, so that their first use does not fault.
inline void populate_pages(void* begin, std::size_t bytes) noexcept {
#ifdef MADV_POPULATE_WRITE
    if (::madvise(begin, bytes, MADV_POPULATE_WRITE) == 0) return;
#endif
    for (std::size_t i = 0; i < bytes; i += smallest_page) static_cast<volatile std::byte*>(begin)[i] = std::byte{0};
}

// Effects: from now on an access to the pages is a fault; or none any more. Returns: whether the system has agreed.
inline bool close_pages(void* begin, std::size_t bytes) noexcept { return ::mprotect(begin, bytes, PROT_NONE) == 0; }
inline bool open_pages(void* begin, std::size_t bytes) noexcept {
    return ::mprotect(begin, bytes, PROT_READ | PROT_WRITE) == 0;
}

enum class page_state { unmapped, untouched, resident };

// Returns: whether there is memory behind the page: until its first use there is none. Requires: the address is a
// multiple of page_granule.
[[nodiscard]] inline page_state state_of_page(void* page) noexcept {
    unsigned char is_resident = 0;
    if (::mincore(page, 1, &is_resident) != 0) return page_state::unmapped;
    return is_resident % 2 != 0 ? page_state::resident : page_state::untouched;
}

// Returns: whether the system knows a page at the address: an access to another one is a fault.
[[nodiscard]] inline bool is_mapped(std::uintptr_t page) noexcept {
    return state_of_page(reinterpret_cast<void*>(page)) != page_state::unmapped;
}

enum class page_growth { done, must_move, must_be_copied };

// Effects: lets the pages have `after` bytes where they are, if there is room.
// Returns: `must_be_copied` if move_pages() would fail as well.
[[nodiscard]] inline page_growth grow_pages(void* begin, std::size_t before, std::size_t after) noexcept {
    if (::mremap(begin, before, after, 0) != MAP_FAILED) return page_growth::done;
    // EFAULT: they are of several mappings, which do not move as one.
    return errno == EFAULT ? page_growth::must_be_copied : page_growth::must_move;
}

// Effects: the pages at `from` take the place of those at `to`, without a copy. The addresses at `from` are no longer
// the caller's. Returns: false if the system has failed: then the addresses at `to` are no longer the caller's.
[[nodiscard]] inline bool move_pages(void* from, void* to, std::size_t bytes) noexcept {
    return ::mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
}

}  // namespace freehold::detail

#endif

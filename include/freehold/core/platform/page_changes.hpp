#pragma once
// What the system can do with pages that a program has: other pages of memory behind them, their growth, their access.
// Few headers need it, and pages.hpp is part of each that allocates.
//
// Thread safety: any thread may call any function. Exceptions: none. Cost: a system call each.

#include <cstddef>
#include <cstdint>

#include "../config.hpp"
#include "pages.hpp"

namespace freehold::inline v0_2::detail {

// Effects: asks the system to back the pages with huge ones. It may refuse.
inline void prefer_huge_pages(void* begin, std::size_t bytes) noexcept;

// Effects: asks the system for small pages, also where it uses huge ones unasked.
inline void prefer_small_pages(void* begin, std::size_t bytes) noexcept;

// Effects: asks the system to back the pages with memory now. Returns: whether it has done so.
[[nodiscard]] inline bool fill_pages(void* begin, std::size_t bytes) noexcept;

// Effects: backs the pages with memory now, so that their first use does not fault.
inline void populate_pages(void* begin, std::size_t bytes) noexcept {
    if (fill_pages(begin, bytes)) return;
    for (std::size_t i = 0; i < bytes; i += smallest_page) static_cast<volatile std::byte*>(begin)[i] = std::byte{0};
}

// Effects: from now on an access to the pages is a fault; or none any more. Returns: whether the system has agreed.
inline bool close_pages(void* begin, std::size_t bytes) noexcept;
inline bool open_pages(void* begin, std::size_t bytes) noexcept;

enum class page_state { unmapped, untouched, resident };

// Returns: whether there is memory behind the page: until its first use there is none. Requires: the address is a
// multiple of page_granule.
[[nodiscard]] inline page_state state_of_page(void* page) noexcept;

// Returns: whether the system knows a page at the address: an access to another one is a fault.
[[nodiscard]] inline bool is_mapped(std::uintptr_t page) noexcept {
    return state_of_page(reinterpret_cast<void*>(page)) != page_state::unmapped;
}

enum class page_growth { done, must_move, must_be_copied };

// Effects: lets the pages have `after` bytes where they are, if there is room.
// Returns: `must_be_copied` if move_pages() would not move them without a copy.
[[nodiscard]] inline page_growth grow_pages(void* begin, std::size_t before, std::size_t after) noexcept;

// Effects: the pages at `from` take the place of those at `to`, without a copy where the system can. The addresses at
// `from` are no longer the caller's. Returns: false if the system has failed: then the addresses at `to` are no longer
// the caller's.
[[nodiscard]] inline bool move_pages(void* from, void* to, std::size_t bytes) noexcept;

}  // namespace freehold::detail

#if defined(FREEHOLD_WINDOWS)
#include "detail/windows/page_changes.hpp"
#elif defined(FREEHOLD_MACOS)
#include "detail/macos/page_changes.hpp"
#else
#include "detail/linux/page_changes.hpp"
#endif

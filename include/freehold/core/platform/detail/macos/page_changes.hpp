#pragma once
// Part of page_changes.hpp, which has the contracts. macOS takes no advice on the size of pages, and moves none.

#include "../../../config.hpp"

#if defined(FREEHOLD_MACOS)

#include <cstddef>

#include <sys/mman.h>

#include "../../page_changes.hpp"
#include "../copied_pages.hpp"

namespace freehold::inline v0_2::detail {

inline bool close_pages(void* begin, std::size_t bytes) noexcept { return ::mprotect(begin, bytes, PROT_NONE) == 0; }
inline bool open_pages(void* begin, std::size_t bytes) noexcept {
    return ::mprotect(begin, bytes, PROT_READ | PROT_WRITE) == 0;
}

[[nodiscard]] inline page_state state_of_page(void* page) noexcept {
    // mincore() does not fail where nothing is mapped; mprotect() and msync() do. MS_ASYNC writes nothing here.
    if (::msync(page, 1, MS_ASYNC) != 0) return page_state::unmapped;
    char state = 0;
    const bool is_known = ::mincore(page, 1, &state) == 0;
    return is_known && (state & MINCORE_INCORE) != 0 ? page_state::resident : page_state::untouched;
}

}  // namespace freehold::detail

#endif

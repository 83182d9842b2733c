#pragma once
// Part of page_changes.hpp, which has the contracts. Windows backs pages with memory when they are used, has large
// pages only for programs with a privilege, and moves none.

#include "../../../config.hpp"

#if defined(FREEHOLD_WINDOWS)

#include <cstddef>

#include "../../page_changes.hpp"
#include "../copied_pages.hpp"
#include "declarations.hpp"

namespace freehold::inline v0_2::detail {

// Effects: sets the access to the pages. Returns: whether the system has agreed for all.
inline bool protect_pages(void* begin, std::size_t bytes, windows_flags access) noexcept {
    return visit_reservations(begin, bytes, [=](std::byte* part, std::size_t part_bytes) {
        windows_flags before = 0;
        return VirtualProtect(part, part_bytes, access, &before) != 0;
    });
}

inline bool close_pages(void* begin, std::size_t bytes) noexcept {
    return protect_pages(begin, bytes, windows_page_noaccess);
}
inline bool open_pages(void* begin, std::size_t bytes) noexcept {
    return protect_pages(begin, bytes, windows_page_readwrite);
}

[[nodiscard]] inline page_state state_of_page(void* page) noexcept {
    // The guard page of a stack is unmapped: an access changes it.
    const windows_region region = region_of(page);
    if (region.state != windows_mem_commit || (region.protection & windows_page_guard) != 0) {
        return page_state::unmapped;
    }
    windows_working_set_page asked{page, 0};
    const bool is_known = K32QueryWorkingSetEx(GetCurrentProcess(), &asked, sizeof(asked)) != 0;
    return is_known && (asked.attributes & 1) != 0 ? page_state::resident : page_state::untouched;
}

}  // namespace freehold::detail

#endif

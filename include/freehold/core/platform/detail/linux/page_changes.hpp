#pragma once
// Part of page_changes.hpp, which has the contracts.

#include "../../../config.hpp"

#if defined(FREEHOLD_LINUX)

#include <cerrno>
#include <cstddef>

#include <sys/mman.h>

#include "../../page_changes.hpp"

namespace freehold::inline v0_2::detail {

inline void prefer_huge_pages(void* begin, std::size_t bytes) noexcept { ::madvise(begin, bytes, MADV_HUGEPAGE); }
inline void prefer_small_pages(void* begin, std::size_t bytes) noexcept { ::madvise(begin, bytes, MADV_NOHUGEPAGE); }

[[nodiscard]] inline bool fill_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_POPULATE_WRITE
    return ::madvise(begin, bytes, MADV_POPULATE_WRITE) == 0;
#else
    return false;
#endif
}

inline bool close_pages(void* begin, std::size_t bytes) noexcept { return ::mprotect(begin, bytes, PROT_NONE) == 0; }
inline bool open_pages(void* begin, std::size_t bytes) noexcept {
    return ::mprotect(begin, bytes, PROT_READ | PROT_WRITE) == 0;
}

[[nodiscard]] inline page_state state_of_page(void* page) noexcept {
    unsigned char is_resident = 0;
    if (::mincore(page, 1, &is_resident) != 0) return page_state::unmapped;
    return is_resident % 2 != 0 ? page_state::resident : page_state::untouched;
}

[[nodiscard]] inline page_growth grow_pages(void* begin, std::size_t before, std::size_t after) noexcept {
    if (::mremap(begin, before, after, 0) != MAP_FAILED) return page_growth::done;
    // EFAULT: they are of several mappings, which do not move as one.
    return errno == EFAULT ? page_growth::must_be_copied : page_growth::must_move;
}

[[nodiscard]] inline bool move_pages(void* from, void* to, std::size_t bytes) noexcept {
    return ::mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
}

}  // namespace freehold::detail

#endif

#pragma once
// Part of page_changes.hpp, which has the contracts, for systems that take no advice on pages and move none.

#include "../../config.hpp"

#if !defined(FREEHOLD_LINUX)

#include <cstddef>
#include <cstring>

#include "../page_changes.hpp"

namespace freehold::inline v0_2::detail {

inline void prefer_huge_pages(void*, std::size_t) noexcept {}
inline void prefer_small_pages(void*, std::size_t) noexcept {}

[[nodiscard]] inline bool fill_pages(void*, std::size_t) noexcept { return false; }

[[nodiscard]] inline page_growth grow_pages(void*, std::size_t, std::size_t) noexcept {
    return page_growth::must_be_copied;
}

[[nodiscard]] inline bool move_pages(void* from, void* to, std::size_t bytes) noexcept {
    std::memcpy(to, from, bytes);
    give_back_pages(from, bytes);
    return true;
}

}  // namespace freehold::detail

#endif

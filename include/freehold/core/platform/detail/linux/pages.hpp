#pragma once
// Part of pages.hpp, which has the contracts.

#include "../../../config.hpp"

#if defined(FREEHOLD_LINUX)

#include <cstddef>
#include <cstdint>

#include <sys/mman.h>

#include "../../pages.hpp"

namespace freehold::inline v0_2::detail {

inline void discard_pages(void* begin, std::size_t bytes) noexcept { ::madvise(begin, bytes, MADV_DONTNEED); }

inline void discard_part(void* begin, std::size_t bytes) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const std::uintptr_t first = address / huge_page * huge_page;
    const std::uintptr_t last = (address + bytes + huge_page - 1) / huge_page * huge_page;
    ::madvise(reinterpret_cast<void*>(first), last - first, MADV_NOHUGEPAGE);
    discard_pages(begin, bytes);
}

}  // namespace freehold::detail

#endif

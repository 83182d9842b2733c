#pragma once
// Part of pages.hpp, which has the contracts. The system takes discarded pages when it needs memory: until then they
// count as the program's.

#include "../../../config.hpp"

#if defined(FREEHOLD_MACOS)

#include <cstddef>

#include <sys/mman.h>

#include "../../pages.hpp"

namespace freehold::inline v0_2::detail {

inline void discard_pages(void* begin, std::size_t bytes) noexcept { ::madvise(begin, bytes, MADV_FREE); }

// macOS makes no huge pages of small ones.
inline void discard_part(void* begin, std::size_t bytes) noexcept { discard_pages(begin, bytes); }

}  // namespace freehold::detail

#endif

#pragma once
// Aligned memory of the C library, and not of operator new, which a program may replace.
//
// Thread safety: any thread may call any function. Exceptions: none.

#include <cstddef>
#include <cstdlib>

#include "../config.hpp"

#if defined(FREEHOLD_WINDOWS)
#include <malloc.h>
#endif

namespace freehold::inline v0_2::detail {

// Returns: memory, or null if there is none. Requires: `bytes` is a multiple of the alignment, which is a power of two.
[[nodiscard]] inline void* take_c_memory(std::size_t alignment, std::size_t bytes) noexcept {
#if defined(FREEHOLD_WINDOWS)
    return ::_aligned_malloc(bytes, alignment);
#else
    return std::aligned_alloc(alignment, bytes);
#endif
}

// Effects: frees what take_c_memory() returned.
inline void free_c_memory(void* memory) noexcept {
#if defined(FREEHOLD_WINDOWS)
    ::_aligned_free(memory);
#else
    std::free(memory);
#endif
}

}  // namespace freehold::detail

#pragma once
// Part of membarrier.hpp, which has the contracts. With FREEHOLD_WITHOUT_FENCES, which all files of a program define or
// none, the system is not asked: Wine has the function, but it does nothing before version 9.

#include "declarations.hpp"

#if defined(FREEHOLD_WINDOWS)

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline bool fence_all_threads() noexcept {
#ifdef FREEHOLD_WITHOUT_FENCES
    return false;
#else
    FlushProcessWriteBuffers();
    return true;
#endif
}

[[nodiscard]] inline bool prepare_fences() noexcept { return fence_all_threads(); }

}  // namespace freehold::detail

#endif

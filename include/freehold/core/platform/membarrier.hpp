#pragma once
// A fence that one thread has the others pass: the kernel interrupts those that run.
//
// Thread safety: any thread may call any function. Exceptions: none.

#include "../config.hpp"

namespace freehold::inline v0_2::detail {

// Effects: a full fence in all threads of the process; later fence_all_threads() is allowed.
// Returns: false, without an effect, if the system has no such fence or refuses it.
[[nodiscard]] inline bool prepare_fences() noexcept;

// Effects: a full fence in all threads of the process. Returns: false, without an effect, if the system refuses it.
// Requires: prepare_fences() has returned true, in this process or in one that has forked it.
// Cost: 2 to 14 microseconds.
[[nodiscard]] inline bool fence_all_threads() noexcept;

}  // namespace freehold::detail

#if defined(FREEHOLD_WINDOWS)
#include "detail/windows/membarrier.hpp"
#elif defined(FREEHOLD_MACOS)
#include "detail/macos/membarrier.hpp"
#else
#include "detail/linux/membarrier.hpp"
#endif

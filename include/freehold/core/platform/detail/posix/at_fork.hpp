#pragma once
// Part of at_fork.hpp, which has the contracts.

#include <atomic>

#include "../../../config.hpp"

#if !defined(FREEHOLD_WINDOWS)

#include <pthread.h>

namespace freehold::inline v0_2::detail {

// Whether the handlers are registered by this module. Hidden, so that each module has its own: those of a library go
// when it is unloaded, also if it shares the variables that they are for with other modules, which then have theirs.
template <void (*Before)(), void (*InParent)(), void (*InChild)()>
FREEHOLD_HIDDEN inline constinit std::atomic<bool> has_fork_handlers = false;

template <void (*Before)(), void (*InParent)(), void (*InChild)()>
void at_fork() noexcept {
    std::atomic<bool>& has_handlers = has_fork_handlers<Before, InParent, InChild>;
    // relaxed: a fork at the same time is unordered with this call in any case
    if (has_handlers.load(std::memory_order_relaxed) || has_handlers.exchange(true, std::memory_order_relaxed)) return;
    ::pthread_atfork(Before, InParent, InChild);
}

}  // namespace freehold::detail

#endif

#pragma once
// Functions that are called when the process forks: the child has one thread, and copies of what the others had locked.

#include <atomic>

#include "../config.hpp"

#ifdef FREEHOLD_LINUX

#include <pthread.h>

namespace freehold::inline v0_2::detail {

// Whether the handlers are registered by this module. Hidden, so that each module has its own: those of a library go
// when it is unloaded, also if it shares the variables that they are for with other modules, which then have theirs.
template <void (*Before)(), void (*InParent)(), void (*InChild)()>
[[gnu::visibility("hidden")]] inline constinit std::atomic<bool> has_fork_handlers = false;

// Effects: from now on, as long as the calling module is loaded, a thread that forks calls Before() first, and then
// InParent() and InChild(), each if it is not null. Another call has no effect. If several modules call this, each has
// all of its handlers called, so these must nest: the last one to begin is the first to end.
// Without memory for the handlers, none is called.
template <void (*Before)(), void (*InParent)(), void (*InChild)()>
[[gnu::visibility("hidden")]] void at_fork() noexcept {
    std::atomic<bool>& has_handlers = has_fork_handlers<Before, InParent, InChild>;
    // relaxed: a fork at the same time is unordered with this call in any case
    if (has_handlers.load(std::memory_order_relaxed) || has_handlers.exchange(true, std::memory_order_relaxed)) return;
    ::pthread_atfork(Before, InParent, InChild);
}

}  // namespace freehold::detail

#endif

#pragma once
// Functions that are called when the process forks: the child has one thread, and copies of what the others had locked.

#include "../config.hpp"

namespace freehold::inline v0_2::detail {

// Effects: from now on, as long as the calling module is loaded, a thread that forks calls Before() first, and then
// InParent() and InChild(), each if it is not null. Another call has no effect. If several modules call this, each has
// all of its handlers called, so these must nest: the last one to begin is the first to end.
// Without memory for the handlers, and on a system whose processes do not fork, none is called.
template <void (*Before)(), void (*InParent)(), void (*InChild)()>
FREEHOLD_HIDDEN void at_fork() noexcept;

}  // namespace freehold::detail

#if defined(FREEHOLD_WINDOWS)
#include "detail/windows/at_fork.hpp"
#else
#include "detail/posix/at_fork.hpp"
#endif

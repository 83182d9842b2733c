#pragma once
// What the system interrupts a thread with.
//
// signals_blocked
//     Blocks all signals for the calling thread as long as it lives; a thread that is started meanwhile has them
//     blocked. A system without signals interrupts no thread.
//
// fault_handler<Handle>
//     Handle(address) is called in a thread whose access to that address is a fault. Then the handler that was there
//     before is called, or the program ends.
//     static bool install() noexcept;
//         Effects: from now on Handle() is called. Returns: whether the system has agreed. Requires: it is the first
//         call.

#include "../config.hpp"

#if defined(FREEHOLD_WINDOWS)
#include "detail/windows/signals.hpp"
#else
#include "detail/posix/signals.hpp"
#endif

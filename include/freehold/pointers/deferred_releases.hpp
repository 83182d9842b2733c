#pragma once
// flush_deferred_releases(): releases now what atomic pointers have deferred.
//
// An atomic pointer that gets another value still counts as an owner of the value before, until no reader uses it. The
// thread that replaced the value releases it, mostly at once or with one of its next stores, or at its end; or another
// thread that stores, if that one has not for a tenth of a second. At most 32,768 values a thread wait, and 8 MiB of
// what lies in their control blocks, besides those that readers use: half of them until it is looked which ones those
// are, and half while the others go, two with each store.
//
// Thread safety: any thread may call it. Exceptions: none. Complexity: linear in what is deferred and in the threads
// that use atomic pointers.

#include <cstddef>

#include "detail/atomic_pointer_domain.hpp"

namespace freehold::inline v0_2 {

// Effects: releases each value that was deferred before the call, by whichever thread, and what its destructor defers
// in turn, unless a reader uses it. None in a destructor that a release has called.
// Blocks while other threads are in a store, with the destructors that this calls; sleeps after some microseconds. Does
// not wait for what other threads defer later. Does not return while destructors go on to defer further values.
// Returns: the number of values that are still deferred, because a reader uses them.
// Requires: no destructor that runs meanwhile waits for the caller.
// Cost: fences in all threads of the process (2 to 14 microseconds each), and what the destructors take.
inline std::size_t flush_deferred_releases() noexcept { return detail::atomic_pointers.flush(); }

}  // namespace freehold

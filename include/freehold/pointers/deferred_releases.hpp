#pragma once
// flush_deferred_releases(): releases now what atomic pointers have deferred.
//
// An atomic pointer that gets another value still counts as an owner of the value before, until no reader uses it. The
// thread that replaced the value releases it, mostly at once or with one of its next stores, or at its end; or another
// thread that stores, if that one has not for a tenth of a second. At most 32,768 values a thread wait, and 8 MiB of
// what lies in their control blocks, besides those that readers use.
//
// Thread safety: any thread may call it. Exceptions: none. Complexity: linear in what is deferred and in the threads.

#include <cstddef>

#include "detail/process_readers.hpp"

namespace freehold {

// Effects: releases each value that nobody reads and that the calling thread, an ended one or one that has been idle
// for a tenth of a second has deferred. What the calling thread had deferred before it was idle as long, another thread
// may have taken over: that one releases it. Returns: the number of values that the calling thread has still deferred,
// because a reader uses them. Cost: a fence in all threads of the process (2 to 14 microseconds), and what the
// destructors take.
inline std::size_t flush_deferred_releases() noexcept { return detail::process_readers.flush(); }

}  // namespace freehold

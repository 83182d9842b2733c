#pragma once
// flush_deferred_releases(): releases now what atomic pointers have deferred.
//
// An atomic pointer that gets another value still counts as an owner of the value before, until no reader uses it. The
// thread that replaced the value releases it: mostly at once or within some of its next operations on atomic pointers,
// at its end at the latest, unless a reader uses it then. At most 32,768 values a thread wait, besides those that
// readers use.
//
// Thread safety: any thread may call it. Exceptions: none.

#include "detail/process_readers.hpp"

namespace freehold {

// Effects: releases each value that the calling thread or an ended one has deferred and that nobody reads. Cost: a
// fence in all threads of the process (10 to 14 microseconds), and what the destructors take.
inline void flush_deferred_releases() noexcept { detail::process_readers.flush(); }

}  // namespace freehold

#pragma once
// Whether the process has one thread: then plain instructions do the work of atomic ones.

#include <version>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace freehold::detail {

// Returns true while no other thread can exist; a C library that can't tell makes it always false.
//
// Thread safety: any thread may call it. The C library clears its flag in the thread that starts the second one,
// before that one runs, so what was written with plain instructions happens before all that the new thread does.
// Complexity: constant, one load.
[[nodiscard, gnu::always_inline]] inline bool is_single_threaded() noexcept {
#if __has_include(<sys/single_threaded.h>)
    return __libc_single_threaded;
#else
    return false;
#endif
}

}  // namespace freehold::detail

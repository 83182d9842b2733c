#pragma once
// Whether the process has a single thread: plain instructions then suffice instead of atomic ones.

#include <version>

#include "../config.hpp"

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace freehold::inline v0_2::detail {

// Returns: true while no other thread can exist. Always false with a C library that does not provide the flag.
//
// Thread safety: any thread may call it. The C library clears its flag in the thread that starts the second one, before
// that one runs, so all writes with plain instructions happen before everything in the new thread.
// Complexity: constant, one load.
[[nodiscard]] FREEHOLD_ALWAYS_INLINE inline bool is_single_threaded() noexcept {
#if __has_include(<sys/single_threaded.h>)
    return __libc_single_threaded;
#else
    return false;
#endif
}

}  // namespace freehold::detail

#pragma once
// The calls that a thread is in: their return addresses, the innermost first. None where the C library does not find
// them, as musl does not.
//
// Thread safety: any thread may call any function. Exceptions: none.

#include "../config.hpp"

namespace freehold::inline v0_2::detail {

// Effects: prints the call stack from `place` up to stderr, and where the system knows it the command that finds its
// source lines.
inline void print_calls_from(const void* place) noexcept;
FREEHOLD_COLD FREEHOLD_NOINLINE inline void print_calls_to(const void* place) noexcept { print_calls_from(place); }

// Effects: notes the calls that the calling thread is in, at most `most`. Returns: their number.
// The first call in a process may allocate.
[[nodiscard]] inline int note_calls(void** calls, int most) noexcept;

// Effects: prints the calls to stderr. Allocates nothing.
inline void write_calls(void* const* calls, int count) noexcept;

}  // namespace freehold::detail

#if defined(FREEHOLD_WINDOWS)
#include "detail/windows/call_stack.hpp"
#else
#include "detail/posix/call_stack.hpp"
#endif

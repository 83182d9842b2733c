#pragma once
// The calls that a thread is in, found by the compiler's tables, also where no frame pointer is kept. None on Windows.
//
// Thread safety: any thread may call it. Exceptions: none. Unlike note_calls() it loads no library.

#include "../config.hpp"

namespace freehold::inline v0_2::detail {

// Declared by the part of each system: whether it finds any calls.
// inline constexpr bool finds_calls;

// Effects: notes the addresses at which the calls go on, at most `most`: first where the caller is, or where this
// function is, in the caller, and so on. Returns: their number.
// It may allocate, and take a lock of the dynamic loader.
[[nodiscard]] inline int unwind_calls(void** calls, int most) noexcept;

}  // namespace freehold::detail

#if defined(FREEHOLD_WINDOWS)
#include "detail/windows/unwind.hpp"
#else
#include "detail/posix/unwind.hpp"
#endif

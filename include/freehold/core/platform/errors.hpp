#pragma once
// What a process says that may not allocate, and its end.
//
// Thread safety: any thread may call any function, also in a handler of a signal. Exceptions: none.

#include <cstdlib>

#include "../config.hpp"

namespace freehold::inline v0_2::detail {

// Effects: writes the text to the standard error.
inline void write_error(const char* text) noexcept;

// Effects: prints the line, which says what was found, and aborts the program.
[[noreturn]] FREEHOLD_COLD FREEHOLD_NOINLINE inline void abort_with(const char* line) noexcept {
    write_error("freehold: ");
    write_error(line);
    write_error("\n");
    std::abort();
}

}  // namespace freehold::detail

#if defined(FREEHOLD_WINDOWS)
#include "detail/windows/errors.hpp"
#else
#include "detail/posix/errors.hpp"
#endif

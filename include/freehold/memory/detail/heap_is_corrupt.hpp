#pragma once
// heap_is_corrupt: the end of a program whose heap is corrupt.

#include <cstdlib>
#include <cstring>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace freehold::detail {

// Effects: prints the line, which says what was found, and aborts the program. Allocates nothing.
[[noreturn, gnu::cold, gnu::noinline]] inline void heap_is_corrupt(const char* line) noexcept {
    constexpr const char* prefix = "freehold: ";
    static_cast<void>(!::write(STDERR_FILENO, prefix, std::strlen(prefix)));
    static_cast<void>(!::write(STDERR_FILENO, line, std::strlen(line)));
    static_cast<void>(!::write(STDERR_FILENO, "\n", 1));
    std::abort();
}

}  // namespace freehold::detail

#pragma once
// Preconditions that are checked in builds without NDEBUG.
//
// A `Requires` that costs no more than a comparison is stated with FREEHOLD_EXPECTS. When it does not hold, one line
// on stderr names the condition, the file and the line, and the program is aborted. With NDEBUG nothing is evaluated.
// It is a macro because only a macro sees the text and the place of the condition and vanishes with NDEBUG.

#ifdef NDEBUG
#define FREEHOLD_EXPECTS(condition) static_cast<void>(0)
#else

#include <cstdio>
#include <cstdlib>

namespace freehold::detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void precondition_failed(const char* condition, const char* file,
                                                                       int line) noexcept {
    std::fprintf(stderr, "%s:%d: freehold: precondition failed: %s\n", file, line, condition);
    std::abort();
}

}  // namespace freehold::detail

#define FREEHOLD_EXPECTS(condition) \
    ((condition) ? static_cast<void>(0) : ::freehold::detail::precondition_failed(#condition, __FILE__, __LINE__))

#endif

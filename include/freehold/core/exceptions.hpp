#pragma once
// Throwing, in builds with and without exceptions.

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace freehold::detail {

// Effects: throws Exception(arguments...); without exceptions (-fno-exceptions) says so and aborts.
template <class Exception, class... Arguments>
[[noreturn, gnu::cold, gnu::noinline]] void raise(Arguments&&... arguments) {
#ifdef __cpp_exceptions
    throw Exception(std::forward<Arguments>(arguments)...);
#else
    std::fprintf(stderr, "freehold: %s\n", Exception(std::forward<Arguments>(arguments)...).what());
    std::abort();
#endif
}

}  // namespace freehold::detail

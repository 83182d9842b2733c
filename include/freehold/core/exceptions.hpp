#pragma once
// Throwing, in builds with and without exceptions.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "config.hpp"

namespace freehold::inline v0_2::detail {

// Effects: throws Exception(arguments...); without exceptions (-fno-exceptions) prints what() and aborts.
template <class Exception, class... Arguments>
[[noreturn]] FREEHOLD_COLD FREEHOLD_NOINLINE void raise(Arguments&&... arguments) {
#ifdef __cpp_exceptions
    throw Exception(std::forward<Arguments>(arguments)...);
#else
    std::fprintf(stderr, "freehold: %s\n", Exception(std::forward<Arguments>(arguments)...).what());
    std::abort();
#endif
}

// Returns: `bytes` bytes from the resource, or a null pointer if it throws.
template <class Resource>
[[nodiscard]] void* try_allocate(Resource& resource, std::size_t bytes, std::size_t alignment) noexcept {
#ifdef __cpp_exceptions
    try {
        return resource.allocate(bytes, alignment);
    } catch (...) {
        return nullptr;
    }
#else
    return resource.allocate(bytes, alignment);
#endif
}

// Effects: makes a request that every memory resource refuses, so that one that can't be served fails with the
// resource's own exception. A Resource's `allocate` may also return null.
template <class Resource>
FREEHOLD_COLD FREEHOLD_NOINLINE void ask_in_vain(Resource& resource) {
    const volatile std::size_t largest = SIZE_MAX;  // compilers warn of constants
    const std::size_t bytes = largest;
    static_cast<void>(resource.allocate(bytes, bytes / 2 + 1));
}

}  // namespace freehold::detail

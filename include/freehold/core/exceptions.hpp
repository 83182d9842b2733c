#pragma once
// Throwing, in builds with and without exceptions.

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace freehold::detail {

// Effects: throws Exception(arguments...); without exceptions (-fno-exceptions) prints what() and aborts.
template <class Exception, class... Arguments>
[[noreturn, gnu::cold, gnu::noinline]] void raise(Arguments&&... arguments) {
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

}  // namespace freehold::detail

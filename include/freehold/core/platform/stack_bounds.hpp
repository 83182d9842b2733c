#pragma once
// Where the stack of a thread is.

#include <cstddef>

#include "../config.hpp"

#ifdef FREEHOLD_LINUX

#include <pthread.h>

namespace freehold::inline v0_2::detail {

struct stack_bounds {
    std::byte* lowest = nullptr;
    std::byte* base = nullptr;  // the end: a stack grows downwards
};

// Returns: those of the calling thread; null pointers if the system does not know them.
// Thread safety: any thread may call it. Exceptions: none. Cost: in the main thread, a file is read.
[[nodiscard]] inline stack_bounds find_stack() noexcept {
    pthread_attr_t attributes;
    if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return {};
    void* lowest = nullptr;
    std::size_t bytes = 0;
    const bool known = ::pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
    ::pthread_attr_destroy(&attributes);
    if (!known) return {};
    return {static_cast<std::byte*>(lowest), static_cast<std::byte*>(lowest) + bytes};
}

}  // namespace freehold::detail

#endif

#pragma once
// Where the stack of a thread is.

#include <cstddef>

#include "../config.hpp"

namespace freehold::inline v0_2::detail {

struct stack_bounds {
    std::byte* lowest = nullptr;
    std::byte* base = nullptr;  // the end: a stack grows downwards
};

// Returns: those of the calling thread; null pointers if the system does not know them.
// Thread safety: any thread may call it. Exceptions: none. Cost: in the main thread of Linux, a file is read.
[[nodiscard]] inline stack_bounds find_stack() noexcept;

}  // namespace freehold::detail

#if defined(FREEHOLD_WINDOWS)
#include "detail/windows/stack_bounds.hpp"
#elif defined(FREEHOLD_MACOS)
#include "detail/macos/stack_bounds.hpp"
#else
#include "detail/linux/stack_bounds.hpp"
#endif

#pragma once
// What the system has loaded: the program and its shared libraries.

#include "../config.hpp"

namespace freehold::inline v0_2::detail {

// Returns: whether the address is in memory of a module that can be read, such as its constants. What a module
// allocates is not.
// Thread safety: any thread may call it. Exceptions: none. Cost: linear in the modules.
[[nodiscard]] inline bool is_in_module(const void* address) noexcept;

}  // namespace freehold::detail

#if defined(FREEHOLD_WINDOWS)
#include "detail/windows/modules.hpp"
#elif defined(FREEHOLD_MACOS)
#include "detail/macos/modules.hpp"
#else
#include "detail/linux/modules.hpp"
#endif

#pragma once
// Part of stack_bounds.hpp, which has the contracts.

#include "../../../config.hpp"

#if defined(FREEHOLD_MACOS)

#include <cstddef>

#include <pthread.h>

#include "../../stack_bounds.hpp"

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline stack_bounds find_stack() noexcept {
    auto* const base = static_cast<std::byte*>(::pthread_get_stackaddr_np(::pthread_self()));
    return {base - ::pthread_get_stacksize_np(::pthread_self()), base};
}

}  // namespace freehold::detail

#endif

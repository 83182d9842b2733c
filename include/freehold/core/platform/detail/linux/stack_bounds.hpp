#pragma once
// Part of stack_bounds.hpp, which has the contracts.

#include "../../../config.hpp"

#if defined(FREEHOLD_LINUX)

#include <cstddef>

#include <pthread.h>

#include "../../stack_bounds.hpp"

namespace freehold::inline v0_2::detail {

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

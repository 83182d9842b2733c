#pragma once
// Part of stack_bounds.hpp, which has the contracts.

#include "../../../config.hpp"

#if defined(FREEHOLD_WINDOWS)

#include <cstddef>
#include <cstdint>

#include "../../stack_bounds.hpp"
#include "declarations.hpp"

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline stack_bounds find_stack() noexcept {
    unsigned long long lowest = 0;
    unsigned long long base = 0;
    GetCurrentThreadStackLimits(&lowest, &base);
    return {reinterpret_cast<std::byte*>(lowest), reinterpret_cast<std::byte*>(base)};
}

}  // namespace freehold::detail

#endif

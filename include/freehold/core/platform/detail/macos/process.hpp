#pragma once
// Part of process.hpp, which has the contracts.

#include "../../../config.hpp"

#if defined(FREEHOLD_MACOS)

#include <cstdint>

#ifdef FREEHOLD_HARDENED
extern "C" void* __stack_chk_guard;  // of the system's library: what guards the stack, drawn for each process
#endif

#include "../posix/process.hpp"

namespace freehold::inline v0_2::detail {

#ifdef FREEHOLD_HARDENED

[[nodiscard]] inline std::uint64_t secret_of_process() noexcept {
    // Half of the bits go, so that who learns the result does not know the guard.
    const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(__stack_chk_guard) * 0x9E3779B97F4A7C15U;
    return (mixed >> 32 | 1) * 0xBF58476D1CE4E5B9U;
}

#endif

}  // namespace freehold::detail

#endif

#pragma once
// Part of process.hpp, which has the contracts.

#include "../../../config.hpp"

#if defined(FREEHOLD_WINDOWS)

#include <cstddef>
#include <cstdint>

#include "declarations.hpp"

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline std::size_t count_processors() noexcept {
    return GetActiveProcessorCount(windows_all_processor_groups);
}

[[nodiscard]] inline std::uint64_t process_id() noexcept { return GetCurrentProcessId(); }

#ifdef FREEHOLD_HARDENED

[[nodiscard]] inline std::uint64_t secret_of_process() noexcept {
    // The system encodes pointers by a number of 32 bits that it has drawn for the process.
    const auto drawn = reinterpret_cast<std::uintptr_t>(EncodePointer(nullptr));
    return (drawn ^ reinterpret_cast<std::uintptr_t>(GetModuleHandleA("kernel32.dll"))) * 0x9E3779B97F4A7C15U;
}

#endif

}  // namespace freehold::detail

#endif

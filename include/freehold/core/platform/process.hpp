#pragma once
// What the system tells a process of itself and of the machine.
//
// Thread safety: any thread may call any function. Exceptions: none.

#include <cstddef>
#include <cstdint>

#include "../config.hpp"

namespace freehold::inline v0_2::detail {

// Returns: how many processors the machine has, or 0 if the system does not know it.
[[nodiscard]] inline std::size_t count_processors() noexcept;

// Returns: a number that no other process has as long as this one exists.
[[nodiscard]] inline std::uint64_t process_id() noexcept;

#ifdef FREEHOLD_HARDENED

// Returns: a number that other processes do not know, the same in all modules of this one and at all times.
[[nodiscard]] inline std::uint64_t secret_of_process() noexcept;

#endif

}  // namespace freehold::detail

#if defined(FREEHOLD_WINDOWS)
#include "detail/windows/process.hpp"
#elif defined(FREEHOLD_MACOS)
#include "detail/macos/process.hpp"
#else
#include "detail/linux/process.hpp"
#endif

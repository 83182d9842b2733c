#pragma once
// Time, and threads that sleep for a time, or until a number changes, across modules. No function is a cancellation
// point.
//
// Thread safety: any thread may call any function. Exceptions: none. Cost: a system call each, except for the time.

#include <climits>
#include <cstdint>

#include "../config.hpp"

namespace freehold::inline v0_2::detail {

// Returns: the milliseconds since some moment, in steps of 1 to 16. They never go back. Cost: a few nanoseconds.
[[nodiscard]] inline std::uint64_t coarse_milliseconds() noexcept;

[[nodiscard]] inline std::uint64_t coarse_seconds() noexcept { return coarse_milliseconds() / 1000; }

// Effects: blocks while the number, an atomic of 32 bits, is `seen`, until wake_sleepers(); may return spuriously.
inline void sleep_while(const void* number, std::uint32_t seen) noexcept;

// Effects: the same for at most that time.
inline void sleep_while(const void* number, std::uint32_t seen, std::uint64_t nanoseconds) noexcept;

// Effects: up to `most` threads go on that sleep while the number has a value.
inline void wake_sleepers(const void* number, int most = INT_MAX) noexcept;

// Effects: blocks for that time or longer, also if a signal comes.
inline void sleep_for(std::uint64_t nanoseconds) noexcept;

}  // namespace freehold::detail

#if defined(FREEHOLD_WINDOWS)
#include "detail/windows/sleep.hpp"
#elif defined(FREEHOLD_MACOS)
#include "detail/macos/sleep.hpp"
#else
#include "detail/linux/sleep.hpp"
#endif

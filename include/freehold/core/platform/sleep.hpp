#pragma once
// Time, and threads that sleep for a time, or until a number changes, across modules. No function is a cancellation
// point.
//
// Thread safety: any thread may call any function. Exceptions: none. Cost: a system call each, except for the time.

#include <cerrno>
#include <climits>
#include <cstdint>
#include <ctime>

#include "../config.hpp"

#ifdef FREEHOLD_LINUX

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace freehold::inline v0_2::detail {

// Returns: the milliseconds since some moment, in steps of 1 to 10. They never go back. Cost: a few nanoseconds.
[[nodiscard]] inline std::uint64_t coarse_milliseconds() noexcept {
    std::timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1000 + static_cast<std::uint64_t>(time.tv_nsec) / 1'000'000;
}

[[nodiscard]] inline std::uint64_t coarse_seconds() noexcept { return coarse_milliseconds() / 1000; }

[[nodiscard]] constexpr std::timespec timespec_of(std::uint64_t nanoseconds) noexcept {
    constexpr std::uint64_t second = 1'000'000'000;
    return {static_cast<std::time_t>(nanoseconds / second), static_cast<long>(nanoseconds % second)};
}

// Effects: blocks while the number, an atomic of 32 bits, is `seen`, until wake_sleepers(); may return spuriously.
inline void sleep_while(const void* number, std::uint32_t seen) noexcept {
    ::syscall(SYS_futex, number, FUTEX_WAIT_PRIVATE, seen, nullptr);
}

// Effects: the same for at most that time.
inline void sleep_while(const void* number, std::uint32_t seen, std::uint64_t nanoseconds) noexcept {
    const std::timespec most = timespec_of(nanoseconds);
    ::syscall(SYS_futex, number, FUTEX_WAIT_PRIVATE, seen, &most);
}

// Effects: up to `most` threads go on that sleep while the number has a value.
inline void wake_sleepers(const void* number, int most = INT_MAX) noexcept {
    ::syscall(SYS_futex, number, FUTEX_WAKE_PRIVATE, most);
}

// Effects: blocks for that time or longer, also if a signal comes.
inline void sleep_for(std::uint64_t nanoseconds) noexcept {
    std::timespec left = timespec_of(nanoseconds);
    while (::syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &left, &left) != 0 && errno == EINTR) {
    }
}

}  // namespace freehold::detail

#endif

#pragma once
// Part of sleep.hpp, which has the contracts.

#include "../../../config.hpp"

#if defined(FREEHOLD_LINUX)

#include <cerrno>
#include <cstdint>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline std::uint64_t coarse_milliseconds() noexcept {
    std::timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1000 + static_cast<std::uint64_t>(time.tv_nsec) / 1'000'000;
}

[[nodiscard]] constexpr std::timespec timespec_of(std::uint64_t nanoseconds) noexcept {
    constexpr std::uint64_t second = 1'000'000'000;
    return {static_cast<std::time_t>(nanoseconds / second), static_cast<long>(nanoseconds % second)};
}

inline void sleep_while(const void* number, std::uint32_t seen) noexcept {
    ::syscall(SYS_futex, number, FUTEX_WAIT_PRIVATE, seen, nullptr);
}

inline void sleep_while(const void* number, std::uint32_t seen, std::uint64_t nanoseconds) noexcept {
    const std::timespec most = timespec_of(nanoseconds);
    ::syscall(SYS_futex, number, FUTEX_WAIT_PRIVATE, seen, &most);
}

inline void wake_sleepers(const void* number, int most) noexcept {
    ::syscall(SYS_futex, number, FUTEX_WAKE_PRIVATE, most);
}

inline void sleep_for(std::uint64_t nanoseconds) noexcept {
    std::timespec left = timespec_of(nanoseconds);
    while (::syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &left, &left) != 0 && errno == EINTR) {
    }
}

}  // namespace freehold::detail

#endif

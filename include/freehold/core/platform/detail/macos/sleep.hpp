#pragma once
// Part of sleep.hpp, which has the contracts. macOS 14.4 and later put threads to sleep on a number; before that, they
// wait for one of 64 condition variables, which the number's address chooses.

#include "../../../config.hpp"

#if defined(FREEHOLD_MACOS)

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include <pthread.h>

// Of <os/os_sync_wait_on_address.h>, which older kits lack. Weak: null on a system that has no such functions.
extern "C" {
__attribute__((weak_import)) int os_sync_wait_on_address(void* number, std::uint64_t seen, std::size_t bytes,
                                                         std::uint32_t flags);
__attribute__((weak_import)) int os_sync_wait_on_address_with_timeout(void* number, std::uint64_t seen,
                                                                      std::size_t bytes, std::uint32_t flags,
                                                                      std::uint32_t clock, std::uint64_t nanoseconds);
__attribute__((weak_import)) int os_sync_wake_by_address_any(void* number, std::size_t bytes, std::uint32_t flags);
__attribute__((weak_import)) int os_sync_wake_by_address_all(void* number, std::size_t bytes, std::uint32_t flags);
}

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline std::uint64_t coarse_milliseconds() noexcept {
    return ::clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX) / 1'000'000;
}

[[nodiscard]] constexpr std::timespec timespec_of(std::uint64_t nanoseconds) noexcept {
    constexpr std::uint64_t second = 1'000'000'000;
    return {static_cast<std::time_t>(nanoseconds / second), static_cast<long>(nanoseconds % second)};
}

// Where threads sleep on a system without the functions above. Trivially destructible, so that it outlives all.
class sleepers {
public:
    [[nodiscard]] static sleepers& at(const void* number) noexcept {
        return all[reinterpret_cast<std::uintptr_t>(number) / alignof(std::uint32_t) % count];
    }

    // Effects: blocks while the number is `seen`, at most that time, or without a limit if it is 0.
    void wait(const void* number, std::uint32_t seen, std::uint64_t nanoseconds) noexcept {
        ::pthread_mutex_lock(&mutex_);
        // seq_cst: the waker has changed the number before it locks the mutex, so this reads that or is woken later
        if (static_cast<const std::atomic<std::uint32_t>*>(number)->load(std::memory_order_seq_cst) == seen) {
            const std::timespec most = timespec_of(nanoseconds);
            if (nanoseconds == 0) {
                ::pthread_cond_wait(&changed_, &mutex_);
            } else {
                ::pthread_cond_timedwait_relative_np(&changed_, &mutex_, &most);
            }
        }
        ::pthread_mutex_unlock(&mutex_);
    }

    // Effects: all go on, since some may sleep for other numbers.
    void wake() noexcept {
        ::pthread_mutex_lock(&mutex_);
        ::pthread_cond_broadcast(&changed_);
        ::pthread_mutex_unlock(&mutex_);
    }

private:
    static constexpr std::size_t count = 64;
    static sleepers all[count];

    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
};

inline constinit sleepers sleepers::all[sleepers::count] = {};

inline void sleep_while(const void* number, std::uint32_t seen) noexcept {
    if (&::os_sync_wait_on_address == nullptr) return sleepers::at(number).wait(number, seen, 0);
    ::os_sync_wait_on_address(const_cast<void*>(number), seen, sizeof(seen), 0);
}

inline void sleep_while(const void* number, std::uint32_t seen, std::uint64_t nanoseconds) noexcept {
    if (nanoseconds == 0) return;
    if (&::os_sync_wait_on_address_with_timeout == nullptr) return sleepers::at(number).wait(number, seen, nanoseconds);
    constexpr std::uint32_t machs_clock = 32;  // OS_CLOCK_MACH_ABSOLUTE_TIME
    ::os_sync_wait_on_address_with_timeout(const_cast<void*>(number), seen, sizeof(seen), 0, machs_clock, nanoseconds);
}

inline void wake_sleepers(const void* number, int most) noexcept {
    if (&::os_sync_wake_by_address_all == nullptr) return sleepers::at(number).wake();
    void* const address = const_cast<void*>(number);
    if (most == INT_MAX) {
        ::os_sync_wake_by_address_all(address, sizeof(std::uint32_t), 0);
    } else {
        for (int i = 0; i < most; ++i) ::os_sync_wake_by_address_any(address, sizeof(std::uint32_t), 0);
    }
}

inline void sleep_for(std::uint64_t nanoseconds) noexcept {
    std::timespec left = timespec_of(nanoseconds);
    while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

}  // namespace freehold::detail

#endif

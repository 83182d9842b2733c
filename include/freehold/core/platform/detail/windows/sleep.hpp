#pragma once
// Part of sleep.hpp, which has the contracts. Windows measures sleeps in milliseconds, and wakes a thread at the next
// tick of its timer, mostly 1 to 16 milliseconds later.

#include "../../../config.hpp"

#if defined(FREEHOLD_WINDOWS)

#include <cstdint>

#include "declarations.hpp"

namespace freehold::inline v0_2::detail {

[[nodiscard]] inline std::uint64_t coarse_milliseconds() noexcept { return GetTickCount64(); }

// WaitOnAddress and its like, which are in a library that programs are not linked with unless they ask for it. It is
// part of every process.
struct address_waits {
    int(__stdcall* wait)(volatile void* number, void* seen, std::size_t bytes, windows_flags milliseconds);
    void(__stdcall* wake_one)(void* number);
    void(__stdcall* wake_all)(void* number);

    address_waits() noexcept {
        const auto library = GetModuleHandleA("kernelbase.dll");
        const auto find = [library]<class Function>(Function& found, const char* name) {
            found = reinterpret_cast<Function>(reinterpret_cast<void*>(GetProcAddress(library, name)));
        };
        find(wait, "WaitOnAddress");
        find(wake_one, "WakeByAddressSingle");
        find(wake_all, "WakeByAddressAll");
    }

    [[nodiscard]] static const address_waits& of_system() noexcept {
        static const address_waits found;
        return found;
    }
};

// Returns: the time in milliseconds, rounded up, and at most the longest that is no eternity to the system.
[[nodiscard]] constexpr windows_flags windows_milliseconds(std::uint64_t nanoseconds) noexcept {
    const std::uint64_t rounded = nanoseconds / 1'000'000 + (nanoseconds % 1'000'000 != 0 ? 1 : 0);
    return rounded < windows_infinite ? static_cast<windows_flags>(rounded) : windows_infinite - 1;
}

inline void sleep_while(const void* number, std::uint32_t seen) noexcept {
    address_waits::of_system().wait(const_cast<void*>(number), &seen, sizeof(seen), windows_infinite);
}

inline void sleep_while(const void* number, std::uint32_t seen, std::uint64_t nanoseconds) noexcept {
    const windows_flags most = windows_milliseconds(nanoseconds);
    address_waits::of_system().wait(const_cast<void*>(number), &seen, sizeof(seen), most);
}

inline void wake_sleepers(const void* number, int most) noexcept {
    const address_waits& waits = address_waits::of_system();
    if (most == INT_MAX) return waits.wake_all(const_cast<void*>(number));
    for (int i = 0; i < most; ++i) waits.wake_one(const_cast<void*>(number));
}

inline void sleep_for(std::uint64_t nanoseconds) noexcept {
    // The system may wake a thread a tick too early, so the time is measured.
    long long ticks_in_second = 0;
    long long begin = 0;
    QueryPerformanceFrequency(reinterpret_cast<::_LARGE_INTEGER*>(&ticks_in_second));
    QueryPerformanceCounter(reinterpret_cast<::_LARGE_INTEGER*>(&begin));
    for (std::uint64_t passed = 0; passed < nanoseconds;) {
        Sleep(windows_milliseconds(nanoseconds - passed));
        long long now = 0;
        QueryPerformanceCounter(reinterpret_cast<::_LARGE_INTEGER*>(&now));
        passed =
            static_cast<std::uint64_t>(static_cast<double>(now - begin) / static_cast<double>(ticks_in_second) * 1e9);
    }
}

}  // namespace freehold::detail

#endif

#pragma once
// The processor's clock: read without a call, unlike the system's.

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace lab {

// Returns: a number that grows steadily. What a step of it is in nanoseconds, the caller finds out: on x86-64 less than
// one, on AArch64 up to forty.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    std::uint64_t read;
    asm volatile("mrs %0, cntvct_el0" : "=r"(read));
    return read;
#else
#error "Say here how to read this processor's clock."
#endif
}

}  // namespace lab

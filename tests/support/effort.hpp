#pragma once
// How much a test does that could do any amount.

#include <cstdlib>
#include <string>

#include "emulation.hpp"
#include "sanitized.hpp"

namespace support {

// NOLINTBEGIN(concurrency-mt-unsafe): no test changes the environment.

// Returns: `usual`; under a sanitizer or an emulator `reduced`, unless FREEHOLD_TEST_LONG is set.
template <class Number>
Number effort(Number usual, Number reduced) {
    return (sanitized || is_emulated()) && std::getenv("FREEHOLD_TEST_LONG") == nullptr ? reduced : usual;
}

// Returns: `usual` in ./freehold test --full, else `reduced`.
template <class Number>
Number full_effort(Number usual, Number reduced) {
    return std::getenv("FREEHOLD_TEST_FULL") != nullptr ? usual : reduced;
}

// Returns: the number of random programs to run, which FREEHOLD_STRESS_PROGRAMS overrides.
inline unsigned programs(unsigned usual, unsigned reduced) {
    const char* const asked = std::getenv("FREEHOLD_STRESS_PROGRAMS");
    return asked != nullptr ? static_cast<unsigned>(std::stoul(asked)) : effort(usual, reduced);
}
inline unsigned programs(unsigned usual) { return programs(usual, usual); }

// NOLINTEND(concurrency-mt-unsafe)

}  // namespace support

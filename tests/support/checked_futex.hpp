#pragma once
// checked_event_count: the library's event count and futex under the checker, with the kernel's part of it.
//
// While their headers are read, std::atomic and the functions that sleep stand for the checker's (checked_sleep.hpp).

#include "checked_sleep.hpp"
// What the headers include, before the names are replaced.
#include <freehold/core/platform/processor.hpp>
#include <freehold/core/platform/sleep.hpp>

#include <climits>
#include <cstdint>

#include "checked_atomic.hpp"

namespace support {

inline void checked_sleep_while(const futex_number* number, std::uint32_t expected) {
    checked_sleep::sleep_while(*number, expected);
}

// Wakes all.
inline void checked_wake_sleepers(const futex_number* number, int /*most*/) { checked_sleep::wake_sleepers(*number); }

}  // namespace support

namespace std {  // NOLINT(cert-dcl58-cpp)
using support::checked_atomic;
}
#define atomic checked_atomic
#define sleep_while checked_sleep_while
#define wake_sleepers checked_wake_sleepers
#include <freehold/core/futex.hpp>
#include <freehold/cyclic/detail/event_count.hpp>
#undef wake_sleepers
#undef sleep_while
#undef atomic

namespace support {

// Without the spinning, of which each turn would be a step.
class checked_event_count : public freehold::detail::event_count {
public:
    template <class Condition>
    void wait(Condition condition, bool /*is_expected_soon*/) noexcept {
        event_count::wait(condition, false);
    }
};

}  // namespace support

#pragma once
// checked_event_count: the library's event count and futex under the checker, with the kernel's part of it.
//
// While their headers are read, std::atomic and the system call stand for the checker's (checked_sleep.hpp).

#include "checked_sleep.hpp"
// What the headers include, before the names are replaced.
#if __has_include(<linux/futex.h>)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <climits>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "checked_atomic.hpp"

// Waits.
inline void checked_syscall(long, const void* number, int, std::uint32_t expected, std::nullptr_t) {
    support::checked_sleep::sleep_while(*static_cast<const support::futex_number*>(number), expected);
}

// Rests. No execution does.
inline void checked_syscall(long, const void*, int, std::uint32_t, const std::timespec*) {}

// Wakes all.
inline void checked_syscall(long, const void* number, int, int) {
    support::checked_sleep::wake_sleepers(*static_cast<const support::futex_number*>(number));
}

namespace std {  // NOLINT(cert-dcl58-cpp)
using support::checked_atomic;
}
#define atomic checked_atomic
#define syscall checked_syscall
#include <freehold/core/futex.hpp>
#include <freehold/cyclic/detail/event_count.hpp>
#undef syscall
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

#pragma once
// checked_event_count: the library's event count and futex under the checker, with the kernel's part of it.
//
// While their headers are read, std::atomic and the system call stand for the checker's. A thread sleeps if the number
// is what it expects: it reads any value that the memory model allows, but what happened before a wake-up that was
// earlier. A wake-up that is missing is a deadlock.

#include "checked_atomic.hpp"
// What the headers include, before the names are replaced.
#if __has_include(<linux/futex.h>)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <climits>
#include <cstddef>
#include <cstdint>
#include <map>
#include <source_location>

namespace support {

// What the kernel keeps for the address of a futex, in one execution.
struct sleepers {
    std::uint64_t number = 0;  // of the execution
    std::size_t wakes = 0;
    places seen;

    [[nodiscard]] static sleepers& at(const void* address, const execution& run) {
        static std::map<const void*, sleepers> all;
        sleepers& found = all[address];
        if (found.number != run.number()) found = {run.number(), 0, {}};
        return found;
    }
};

using futex_number = checked_atomic<std::uint32_t>;

}  // namespace support

// Waits.
inline void checked_syscall(long, const support::futex_number* number, int, std::uint32_t expected, std::nullptr_t) {
    support::execution* const run = support::execution::mine();
    if (run == nullptr) return;
    support::sleepers& kernel = support::sleepers::at(number, *run);
    run->now().seen.join(kernel.seen);
    // The load and the sleep are one step.
    const bool is_expected = run->peek(number, sizeof(expected)) == support::bits_of(expected);
    run->record("futex wait", number, "", is_expected ? "sleeps" : "finds another number",
                std::source_location::current());
    if (!is_expected) return;
    const std::size_t before = kernel.wakes;
    run->wait_until([&kernel, before] { return kernel.wakes != before; }, "asleep", number,
                    std::source_location::current());
}

// Wakes all.
inline void checked_syscall(long, const support::futex_number* number, int, int) {
    support::execution* const run = support::execution::mine();
    if (run == nullptr) return;
    run->step();
    support::sleepers& kernel = support::sleepers::at(number, *run);
    kernel.seen.join(run->now().seen);
    ++kernel.wakes;
    run->record("futex wake", number, "", "", std::source_location::current());
    run->step_after();
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

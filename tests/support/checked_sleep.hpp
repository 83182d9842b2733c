#pragma once
// checked_sleep: how threads sleep under the checker, with the kernel's part of a futex.
//
// A thread sleeps if the number is what it expects: it reads any value that the memory model allows, but what happened
// before a wake-up that was earlier. A wake-up that is missing is a deadlock.

#include <cstddef>
#include <cstdint>
#include <map>
#include <source_location>

#include "checked_atomic.hpp"

namespace support {

using futex_number = checked_atomic<std::uint32_t>;

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

struct checked_sleep {
    static constexpr int spins = 0;  // each would be a step

    static void relax() {}

    static void sleep_while(const futex_number& number, std::uint32_t expected) {
        execution* const run = execution::mine();
        if (run == nullptr) return;
        sleepers& kernel = sleepers::at(&number, *run);
        run->now().seen.join(kernel.seen);
        // The load and the sleep are one step.
        const bool is_expected = run->peek(&number, sizeof(expected)) == bits_of(expected);
        run->record("futex wait", &number, "", is_expected ? "sleeps" : "finds another number",
                    std::source_location::current());
        if (!is_expected) return;
        const std::size_t before = kernel.wakes;
        run->wait_until([&kernel, before] { return kernel.wakes != before; }, "asleep", &number,
                        std::source_location::current());
    }

    // Effects: wakes all.
    static void wake_sleepers(const futex_number& number, int /*most*/ = 0) {
        execution* const run = execution::mine();
        if (run == nullptr) return;
        run->step();
        sleepers& kernel = sleepers::at(&number, *run);
        kernel.seen.join(run->now().seen);
        ++kernel.wakes;
        run->record("futex wake", &number, "", "", std::source_location::current());
        run->step_after();
    }
};

}  // namespace support

#pragma once
// event_count: threads wait here until a condition holds, and are notified when it may.
//
// No lock: whoever changes what the condition depends on calls notify_all() afterwards, which costs two locked
// operations if nobody waits.

#include <atomic>
#include <cstdint>

#include "futex.hpp"
#include "threading.hpp"

namespace freehold::inline v0_2::detail {

template <class Threading = process_threading>
class event_count {
public:
    // Effects: returns when condition() holds. Spins for at most some tens of microseconds first if that is expected
    // soon.
    template <class Condition>
    void wait(Condition condition, bool is_expected_soon) noexcept {
        for (int spins = is_expected_soon ? max_spins : 0; spins > 0; --spins) {
            if (condition()) return;
            Threading::relax();
        }
        while (true) {
            // acquire: pairs with notify_all(). Either the condition is seen as it was changed, or the number will
            // differ.
            const std::uint32_t seen = changes_.number.load(std::memory_order_acquire);
            if (condition()) return;
            changes_.wait(seen);
        }
    }

    void notify_all() noexcept {
        changes_.number.fetch_add(1, std::memory_order_release);  // pairs with wait()
        changes_.notify_all();
    }

private:
    // About 30 microseconds (a pause took 29 ns on an AMD EPYC), which is what a thread takes to fall asleep and be
    // woken: so a wait is at worst twice as long as it needs to be. With a fifth of that, one stop in ten of four
    // threads that send messages took 30 to 40 microseconds instead of 8 to 16.
    static constexpr int max_spins = 2 * Threading::spins;

    basic_futex<Threading> changes_;
};

}  // namespace freehold::detail

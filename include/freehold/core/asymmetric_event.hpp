#pragma once
// asymmetric_event: a thread sleeps here until a condition holds. Who makes it hold pays a fence for the compiler and a
// load while nobody sleeps; who sleeps pays a heavy fence (asymmetric_fence.hpp).
//
// The waiting thread says so and then looks at the condition; the other changes what the condition depends on and then
// looks whether anybody waits. The fence lets at least one of them see the other.
//
// Thread safety: any thread may call any function. Exceptions: none. Cost: 4 bytes.

#include <atomic>
#include <cstdint>

#include "config.hpp"

namespace freehold::inline v0_2::detail {

// Threading: threading.hpp.
template <class Threading>
class asymmetric_event {
public:
    constexpr asymmetric_event() noexcept = default;

    // Effects: returns when condition() holds, which is called again after each notify(). Spins for a moment first.
    template <class Condition>
    void wait(typename Threading::fence& barrier, Condition condition) noexcept {
        if (condition()) return;
        for (int left = Threading::spins; left > 0; --left) {
            Threading::relax();
            if (condition()) return;
        }
        while (true) {
            // relaxed: the fence orders; the condition acquires what it depends on
            const std::uint32_t seen = state_.fetch_or(is_awaited, std::memory_order_relaxed) | is_awaited;
            barrier.heavy();  // pairs with light() in notify()
            if (condition()) return;
            Threading::sleep_while(state_, seen);
        }
    }

    // Effects: threads that wait look at the condition again. To be called after it may have begun to hold.
    FREEHOLD_ALWAYS_INLINE void notify(const typename Threading::fence& barrier) noexcept {
        barrier.light();  // pairs with heavy() in wait()
        notify_ordered();
    }

    // Effects: as notify(). Requires: a light fence since the condition may have begun to hold.
    FREEHOLD_ALWAYS_INLINE void notify_ordered() noexcept {
        if ((state_.load(std::memory_order_relaxed) & is_awaited) != 0) [[unlikely]]  // relaxed: the fence orders
            wake();
    }

private:
    FREEHOLD_COLD FREEHOLD_NOINLINE void wake() noexcept {
        // relaxed: a thread that reads this looks at the condition after another heavy fence. A new number also wakes a
        // sleeper whose bit another thread has set again.
        state_.fetch_add(is_awaited, std::memory_order_relaxed);
        Threading::wake_sleepers(state_);
    }

    static constexpr std::uint32_t is_awaited = 1;  // the lowest bit; the others count the times that it was taken away

    typename Threading::template atomic<std::uint32_t> state_ = 0;
};

}  // namespace freehold::detail

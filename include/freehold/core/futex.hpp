#pragma once
// A number on whose change threads can wait, across modules.
//
// std::atomic::wait of libstdc++ counts waiting threads in static variables, of which a library with hidden symbols has
// its own: a notification from one would not reach the other. Here the count is beside the number.

#include <atomic>
#include <climits>
#include <cstdint>

#include "threading.hpp"

namespace freehold::inline v0_2::detail {

template <class Threading>
class basic_futex {
    using number_type = typename Threading::template atomic<std::uint32_t>;

public:
    constexpr basic_futex() noexcept = default;

    number_type number = 0;

    // Effects: blocks while the number is `seen`, until a notification; may return spuriously.
    void wait(std::uint32_t seen) noexcept {
        // acquire, release: of this and the read-modify-write in wake(), one reads what the other wrote. Either this
        // thread sees the number that was changed before a notification, or the notification sees this thread.
        waiting_.fetch_add(1, std::memory_order_acq_rel);
        Threading::sleep_while(number, seen);
        waiting_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: one superfluous wake-up is allowed
    }

    void notify_one() noexcept { wake(1); }
    void notify_all() noexcept { wake(INT_MAX); }

private:
    void wake(int most) noexcept {
        // A read-modify-write: pairs with that of wait(), as said there.
        if (waiting_.fetch_add(0, std::memory_order_acq_rel) != 0) Threading::wake_sleepers(number, most);
    }

    number_type waiting_ = 0;
};

using futex = basic_futex<process_threading>;

}  // namespace freehold::detail

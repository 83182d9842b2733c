#pragma once
// Waits for the change of a number that threads share, and wakes those who do, wherever they were compiled.
//
// std::atomic::wait of libstdc++ counts those who wait in static variables, of which a library that keeps its symbols
// to itself has its own: a notification from one would not reach the other. Here the count is beside the number.

#if __has_include(<linux/futex.h>)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <atomic>
#include <climits>
#include <cstdint>

namespace freehold::detail {

class futex {
public:
    constexpr futex() noexcept = default;

    std::atomic<std::uint32_t> number = 0;

    // Effects: blocks while the number is `seen`, until a notification; may return for no reason.
    void wait(std::uint32_t seen) noexcept {
        // acquire, release: of two that change the count, one reads what the other wrote. Either this thread sees the
        // change of the number that was made before a notification, or the notification sees this thread.
        waiting_.fetch_add(1, std::memory_order_acq_rel);
        ::syscall(SYS_futex, &number, FUTEX_WAIT_PRIVATE, seen, nullptr);
        waiting_.fetch_sub(1, std::memory_order_relaxed);  // orders nothing: a wake-up too many is allowed
    }

    void notify_one() noexcept { wake(1); }
    void notify_all() noexcept { wake(INT_MAX); }

private:
    void wake(int most) noexcept {
        // A read-modify-write, as above.
        if (waiting_.fetch_add(0, std::memory_order_acq_rel) != 0) {
            ::syscall(SYS_futex, &number, FUTEX_WAKE_PRIVATE, most);
        }
    }

    std::atomic<std::uint32_t> waiting_ = 0;
};

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t), "the system reads the number itself");

}  // namespace freehold::detail

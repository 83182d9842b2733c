#pragma once
// A number on whose change threads can wait, across modules.
//
// std::atomic::wait of libstdc++ counts waiting threads in static variables, of which a library with hidden symbols has
// its own: a notification from one would not reach the other. Here the count is beside the number.

#if __has_include(<linux/futex.h>)
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

namespace freehold::detail {

// Effects: lets the processor rest for a moment.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// Effects: lets other threads run. As std::this_thread::yield(), without <thread>: that and its stop tokens take a
// third of the time in which <memory> compiles.
inline void yield() noexcept { ::sched_yield(); }

// Effects: blocks while the number, an atomic of 32 bits, is `seen`, until wake_sleepers(); may return spuriously.
inline void sleep_while(const void* number, std::uint32_t seen) noexcept {
    ::syscall(SYS_futex, number, FUTEX_WAIT_PRIVATE, seen, nullptr);
}

// Effects: up to `most` threads go on that sleep while the number has a value.
inline void wake_sleepers(const void* number, int most = INT_MAX) noexcept {
    ::syscall(SYS_futex, number, FUTEX_WAKE_PRIVATE, most);
}

// Effects: blocks for 20 microseconds or more. No cancellation point, as nanosleep() is.
inline void sleep_for_a_moment() noexcept {
    const std::uint32_t number = 0;
    const std::timespec moment{0, 20'000};
    ::syscall(SYS_futex, &number, FUTEX_WAIT_PRIVATE, number, &moment);
}

class futex {
public:
    constexpr futex() noexcept = default;

    std::atomic<std::uint32_t> number = 0;

    // Effects: blocks while the number is `seen`, until a notification; may return spuriously.
    void wait(std::uint32_t seen) noexcept {
        // acquire, release: of this and the read-modify-write in wake(), one reads what the other wrote. Either this
        // thread sees the number that was changed before a notification, or the notification sees this thread.
        waiting_.fetch_add(1, std::memory_order_acq_rel);
        sleep_while(&number, seen);
        waiting_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: one superfluous wake-up is allowed
    }

    void notify_one() noexcept { wake(1); }
    void notify_all() noexcept { wake(INT_MAX); }

private:
    void wake(int most) noexcept {
        // A read-modify-write: pairs with that of wait(), as said there.
        if (waiting_.fetch_add(0, std::memory_order_acq_rel) != 0) wake_sleepers(&number, most);
    }

    std::atomic<std::uint32_t> waiting_ = 0;
};

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t), "the kernel reads the number");

}  // namespace freehold::detail

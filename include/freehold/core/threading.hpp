#pragma once
// Threading: how threads synchronize. What several threads use at once takes it as a parameter of this name, which is
// process_threading in a program. The memory-model checker of the tests passes its own, so it runs the same headers.
//
// A Threading provides, as static members:
//   atomic<T>                     std::atomic
//   atomic_ref<T>                 std::atomic_ref (platform/atomic_ref.hpp)
//   thread_fence(order)           std::atomic_thread_fence
//   fence                         a fence in two halves, with light() and heavy() (asymmetric_fence.hpp)
//   mutex                         lock() and unlock() (spinning_mutex.hpp)
//   counting                      a policy of counts (counting/counting_policy.hpp)
//   sleep_while(number, value)    blocks while the atomic<std::uint32_t> has the value; may return spuriously. With
//   wake_sleepers(number, most)   these two, futex, event_count and asymmetric_event let threads wait
//   spins                         how often asymmetric_event looks at a condition before it sleeps
//   relax(), yield(), rest()      a pause of the processor; other threads of the same processor run; threads of any
//                                 priority run for a moment that are in the middle of a step
//
// What is no synchronization is apart from it. Numbers and memory are a second parameter, Limits (record_table.hpp);
// the clock and what belongs to a thread are Process (pointers/detail/reader_domain.hpp).
//
// Not parameters: the builtins of counting/atomic_counting.hpp and pointers/shared_ptr_atomic_access.hpp, which count
// in plain words; the checker replaces them (tests/support/begin_checked_builtins.hpp). Atomic numbers that order
// nothing, such as statistics, are std::atomic.

#include <atomic>
#include <climits>
#include <cstdint>

#include "config.hpp"
#include "platform/atomic_ref.hpp"
#include "platform/processor.hpp"
#include "platform/sleep.hpp"
#include "platform/threads.hpp"

namespace freehold::inline v0_2 {

struct atomic_counting;
struct plain_counting;

}  // namespace freehold

namespace freehold::inline v0_2::detail {

template <class Threading>
class basic_asymmetric_fence;
class spinning_mutex;

// Who has a fence, a mutex or a count includes its header.
struct process_threading {
    template <class T>
    using atomic = std::atomic<T>;
    template <class T>
    using atomic_ref = detail::atomic_ref<T>;

    using fence = basic_asymmetric_fence<process_threading>;
    using mutex = spinning_mutex;
    using counting = atomic_counting;

    // About 15 microseconds, less than to fall asleep and be woken.
    static constexpr int spins = 500;

    using order = std::memory_order;

    FREEHOLD_ALWAYS_INLINE static void thread_fence(order given) noexcept { std::atomic_thread_fence(given); }

    static void sleep_while(const std::atomic<std::uint32_t>& number, std::uint32_t seen) noexcept {
        detail::sleep_while(&number, seen);
    }
    static void wake_sleepers(const std::atomic<std::uint32_t>& number, int most = INT_MAX) noexcept {
        detail::wake_sleepers(&number, most);
    }

    static void relax() noexcept { detail::relax(); }
    static void yield() noexcept { detail::yield(); }
    static void rest() noexcept { detail::sleep_for(20'000); }
};

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t), "the kernel reads the number");

// Of what one thread uses: atomic, mutex and counting alone, which cost nothing.
struct one_thread {
    template <class T>
    class atomic {
    public:
        constexpr atomic(T value) noexcept : value_(value) {}

        [[nodiscard]] T load(std::memory_order) const noexcept { return value_; }
        void store(T value, std::memory_order) noexcept { value_ = value; }

    private:
        T value_;
    };

    struct mutex {
        void lock() noexcept {}
        void unlock() noexcept {}
    };

    using counting = plain_counting;
};

}  // namespace freehold::detail

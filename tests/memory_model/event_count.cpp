// The event count and the futex below it under the checker: whoever waits for a condition is woken when it holds, and
// sees what was done before the notification.

#include <gtest/gtest.h>
#include <freehold/core/event_count.hpp>

#include <atomic>
#include <cstddef>

#include "support/checked_threading.hpp"
#include "support/checker.hpp"

namespace {

using support::for_every_execution;

template <std::size_t Waiting>
struct threads_wait_for_a_condition {
    static constexpr std::size_t threads = Waiting + 1;

    void run(std::size_t thread) {
        if (thread < Waiting) {
            changed.wait([this] { return holds.load(std::memory_order_relaxed); }, false);
        } else {
            holds.store(true, std::memory_order_relaxed);
            changed.notify_all();
        }
    }

    void check() {}

    freehold::detail::event_count<support::checked_threading> changed;
    support::checked_atomic<bool> holds = false;
};

// A notification that is too early is followed by another one.
struct a_condition_that_holds_later {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) return changed.wait([this] { return count.load(std::memory_order_relaxed) == 2; }, false);
        for (int i = 0; i < 2; ++i) {
            count.fetch_add(1, std::memory_order_relaxed);
            changed.notify_all();
        }
    }

    void check() {}

    freehold::detail::event_count<support::checked_threading> changed;
    support::checked_atomic<int> count = 0;
};

constexpr support::bounds some{.interruptions = 3, .surprises = 2};

}  // namespace

TEST(checked_event_count, a_thread_that_waits_is_woken) {
    EXPECT_GT(for_every_execution<threads_wait_for_a_condition<1>>(some), 10);
}

TEST(checked_event_count, two_threads_that_wait_are_woken) {
    EXPECT_GT(for_every_execution<threads_wait_for_a_condition<2>>({.interruptions = 2, .surprises = 2}), 10);
}

TEST(checked_event_count, a_thread_waits_again_until_the_condition_holds) {
    EXPECT_GT(for_every_execution<a_condition_that_holds_later>(some), 10);
}

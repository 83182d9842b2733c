// The asymmetric event under the checker: whoever waits for a condition is woken when it holds.

#include <gtest/gtest.h>
#include <freehold/core/asymmetric_event.hpp>

#include <atomic>
#include <cstddef>

#include "support/checked_threading.hpp"
#include "support/checker.hpp"

namespace {

using support::for_every_execution;

struct scenario {
    void wait_for(int expected) {
        changed.wait(barrier, [&] { return count.load(std::memory_order_acquire) == expected; });
        EXPECT_EQ(data.get(), expected);
    }

    void change() {
        data.set(data.get() + 1);
        count.fetch_add(1, std::memory_order_release);
        changed.notify(barrier);
    }

    void check() {}

    support::checked_asymmetric_fence barrier;
    freehold::detail::asymmetric_event<support::checked_threading> changed;
    support::checked_atomic<int> count = 0;
    support::plain<int> data = 0;
};

template <std::size_t Waiting>
struct threads_wait_for_a_change : scenario {
    static constexpr std::size_t threads = Waiting + 1;

    void run(std::size_t thread) { thread < Waiting ? wait_for(1) : change(); }
};

// A notification that is too early is followed by another one.
struct one_waits_for_two_changes : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) return wait_for(2);
        change();
        change();
    }
};

// The two notify at once: one of them has seen the thread that waits before, and wakes it late.
struct one_waits_for_changes_of_two : scenario {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        if (thread == 0) {
            changed.wait(barrier, [this] { return count.load(std::memory_order_acquire) == 2; });
        } else {
            count.fetch_add(1, std::memory_order_release);
            changed.notify(barrier);
        }
    }
};

constexpr support::bounds some{.interruptions = 3, .surprises = 2};
constexpr support::bounds few{.interruptions = 2, .surprises = 1};

void no_wake_up_is_lost() {
    EXPECT_GT(for_every_execution<threads_wait_for_a_change<1>>(some), 10);
    EXPECT_GT(for_every_execution<threads_wait_for_a_change<2>>(few), 10);
    EXPECT_GT(for_every_execution<one_waits_for_two_changes>(some), 10);
    EXPECT_GT(for_every_execution<one_waits_for_changes_of_two>(few), 10);
}

}  // namespace

TEST(asymmetric_event, no_wake_up_is_lost) { no_wake_up_is_lost(); }

TEST(asymmetric_event, no_wake_up_is_lost_without_membarrier) {
    const support::without_membarrier full;
    no_wake_up_is_lost();
}

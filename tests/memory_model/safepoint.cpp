// The safepoint of a heap under the checker: a session that stops the others sees what they have done, they see what it
// did, and nobody waits for ever.

#include <gtest/gtest.h>

#include <freehold/core/event_count.hpp>
#include <freehold/tracing/safepoint.hpp>

#include <cstddef>

#include "support/checked_threading.hpp"
#include "support/checker.hpp"

namespace {

using support::checked_threading;
using support::for_every_execution;

// What the sessions use while they run, and who stops them.
struct scenario {
    // Effects: what a running session does: it reads what all use, and writes what it has.
    void work(std::size_t thread) {
        static_cast<void>(shared.get());
        own[thread].set(own[thread].get() + 1);
    }

    // Effects: what a session does while the others are stopped.
    void collect() {
        for (auto& each : own) each.set(0);
        shared.set(shared.get() + 1);
    }

    void stop() {
        if (!sessions.stop([] {})) return;
        collect();
        sessions.resume();
    }

    void check() {}

    freehold::detail::safepoint<checked_threading> sessions;
    support::plain<int> shared = 0;
    support::plain<int> own[3];
};

struct a_session_begins_and_ends_while_another_stops_all : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        sessions.enter();
        work(thread);
        if (thread == 0) stop();
        work(thread);
        sessions.leave();
    }
};

struct a_session_waits_while_another_stops_all : scenario {
    static constexpr std::size_t threads = 2;

    a_session_waits_while_another_stops_all() {
        sessions.enter();
        sessions.enter();
    }

    void run(std::size_t thread) {
        work(thread);
        thread == 0 ? stop() : sessions.wait();
        work(thread);
        sessions.leave();
    }
};

struct two_sessions_stop_all : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        sessions.enter();
        work(thread);
        stop();
        work(thread);
        sessions.leave();
    }
};

// The one that stops the other waits for its help.
struct a_stopped_session_helps : scenario {
    static constexpr std::size_t threads = 2;

    a_stopped_session_helps() {
        sessions.enter();
        sessions.enter();
    }

    void run(std::size_t thread) {
        if (thread == 0) {
            ASSERT_TRUE(sessions.stop([] {}));
            shared.set(1);
            needs_help.store(true, std::memory_order_release);
            sessions.call_for_help();
            helped.wait([this] { return !needs_help.load(std::memory_order_acquire); }, false);
            EXPECT_EQ(own[0].get(), 1);
            sessions.resume();
        } else {
            while (!sessions.is_stopped()) checked_threading::relax();
            sessions.wait([this] {
                if (!needs_help.load(std::memory_order_acquire)) return;
                own[0].set(shared.get());
                needs_help.store(false, std::memory_order_release);
                helped.notify_all();
            });
        }
        sessions.leave();
    }

    support::checked_atomic<bool> needs_help = false;
    freehold::detail::event_count<checked_threading> helped;
};

// What an earlier collection has done, by a session that is gone, a later one sees.
struct one_collects_after_another : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t) {
        sessions.enter();
        stop();
        sessions.leave();
    }
};

// The session has asked whether the others are stopped, before it uses what they have.
struct a_session_asks : scenario {
    static constexpr std::size_t threads = 2;

    a_session_asks() {
        sessions.enter();
        sessions.enter();
    }

    void run(std::size_t thread) {
        if (thread == 0) {
            stop();
        } else {
            sessions.leave();
            if (sessions.is_stopped()) has_seen.store(true, std::memory_order_relaxed);
            if (has_seen.load(std::memory_order_relaxed) && !sessions.is_stopped()) static_cast<void>(shared.get());
            return;
        }
        sessions.leave();
    }

    support::checked_atomic<bool> has_seen = false;
};

// All that the sessions do is declared.
constexpr support::bounds some{.interruptions = 2, .surprises = 2, .steps_after = false};

}  // namespace

TEST(checked_safepoint, a_session_begins_and_ends_while_another_stops_all) {
    EXPECT_GT(for_every_execution<a_session_begins_and_ends_while_another_stops_all>(some), 10);
}

TEST(checked_safepoint, a_session_waits_while_another_stops_all) {
    EXPECT_GT(for_every_execution<a_session_waits_while_another_stops_all>(some), 10);
}

TEST(checked_safepoint, two_sessions_stop_all) { EXPECT_GT(for_every_execution<two_sessions_stop_all>(some), 10); }

TEST(checked_safepoint, a_stopped_session_helps) { EXPECT_GT(for_every_execution<a_stopped_session_helps>(some), 10); }

TEST(checked_safepoint, one_session_collects_after_another) {
    EXPECT_GT(for_every_execution<one_collects_after_another>(some), 10);
}

TEST(checked_safepoint, a_session_that_pauses_asks_whether_all_are_stopped) {
    EXPECT_GT(for_every_execution<a_session_asks>(some), 10);
}

// The handshake of a heap and its helper under the checker: what they share is used by one at a time, each sees what
// the other did, and nobody waits for ever.

#include <gtest/gtest.h>

#include <freehold/traced/detail/marking_handshake.hpp>

#include <cstddef>

#include "support/checked_threading.hpp"
#include "support/checker.hpp"

namespace {

using support::for_every_execution;

struct scenario {
    void use() { shared.set(shared.get() + 1); }

    void mark() {
        if (!turns.enter()) return;
        use();
        if (!turns.is_wanted()) use();
        turns.leave();
    }

    void check() {}

    freehold::detail::marking_handshake<support::checked_threading> turns;
    support::plain<int> shared = 0;
};

struct the_program_parks_a_marker : scenario {
    static constexpr std::size_t threads = 2;

    the_program_parks_a_marker() { turns.resume(); }

    void run(std::size_t thread) {
        if (thread == 0) {
            turns.park();
            use();
        } else {
            mark();
        }
    }
};

struct the_program_resumes_the_marker : scenario {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == 0) {
            use();
            turns.resume();
            turns.park();
            use();
        } else {
            mark();
        }
    }
};

struct the_marker_enters_twice : scenario {
    static constexpr std::size_t threads = 2;

    the_marker_enters_twice() { turns.resume(); }

    void run(std::size_t thread) {
        if (thread == 0) {
            turns.park();
            use();
            turns.resume();
        } else {
            mark();
            mark();
        }
    }
};

constexpr support::bounds some{.interruptions = 2, .surprises = 2, .steps_after = false};

}  // namespace

TEST(checked_marking_handshake, the_program_parks_a_marker) {
    EXPECT_GT(for_every_execution<the_program_parks_a_marker>(some), 10);
}

TEST(checked_marking_handshake, the_program_resumes_the_marker) {
    EXPECT_GT(for_every_execution<the_program_resumes_the_marker>(some), 10);
}

TEST(checked_marking_handshake, the_marker_enters_twice) {
    EXPECT_GT(for_every_execution<the_marker_enters_twice>(some), 10);
}

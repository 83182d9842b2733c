// A shared heap under the checker where there was no memory to queue what another session is to destroy. The steps
// themselves may allocate: what fails has failed before.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

#include "support/checked_heap.hpp"
#include "support/checker.hpp"
#include "support/limited_new.hpp"

namespace {

using support::checked_heap;
using support::for_every_execution;

struct node {
    explicit node(int& target) : destroyed(&target) {}
    node(const node&) = delete;
    node& operator=(const node&) = delete;
    ~node() { ++*destroyed; }

    void trace(auto&) const {}

    int* destroyed;
};

// Objects of the first session that the second one releases: the first object could not be queued, and the
// session looks for it among all when the other object is about to be queued.
struct an_object_is_dropped_while_its_session_looks_for_another {
    static constexpr std::size_t threads = 2;

    an_object_is_dropped_while_its_session_looks_for_another() {
        heap.in_session(0, [this](auto&) {
            for (auto& each : owner) each = heap.heap.make<node>(destroyed);
        });
        const support::limited_new none(0);
        heap.in_session(1, [this](auto&) { owner[0].reset(); });
    }

    void run(std::size_t thread) {
        heap.in_session(thread, [&](auto& session) { thread == 0 ? session.safepoint() : owner[1].reset(); });
    }

    void check() {
        heap.end_sessions();
        EXPECT_EQ(destroyed, 2);
    }

    checked_heap heap;
    int destroyed = 0;
    std::array<checked_heap::pointer<node>, 2> owner;
};

constexpr support::bounds some{.interruptions = 2, .surprises = 1, .steps_after = false};

}  // namespace

TEST(checked_cyclic_heap_without_memory, an_object_is_released_while_its_session_looks_for_what_was_not_queued) {
    EXPECT_GT(for_every_execution<an_object_is_dropped_while_its_session_looks_for_another>(some), 10);
}

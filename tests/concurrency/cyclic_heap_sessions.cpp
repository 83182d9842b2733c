// Sessions of a shared heap that begin and end at bad moments: while others collect, with their thread, after it, and
// by the thousand. Every object is destroyed once, and no collection waits for a thread that is gone.

#include <gtest/gtest.h>
#include <freehold/cyclic/cyclic_heap.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "support/threads.hpp"
#include "support/tracked.hpp"

using freehold::concurrent_cyclic_ptr;
using freehold::cyclic_heap;

namespace {

struct node {
    void trace(auto& visit) const { visit(next, other); }

    concurrent_cyclic_ptr<node> next;
    concurrent_cyclic_ptr<node> other;
    support::tracked part;
};

// Effects: makes a ring of two nodes. Returns: one of them.
concurrent_cyclic_ptr<node> make_ring(cyclic_heap& heap) {
    auto first = heap.make<node>();
    first->next = heap.make<node>();
    first->next->next = first;
    return first;
}

// A heap, and a place where sessions leave rings for each other.
struct cyclic_heap_sessions : support::tracked_test {
    // Effects: leaves a ring that owns the one that was there.
    void leave_ring(cyclic_heap::session& session) {
        auto ring = make_ring(heap);
        const auto held = session.lock(mutex);
        left.swap(ring);
        if (++rings % 8 != 0) left->other = std::move(ring);
    }

    // Effects: in a session of its own, releases what was left, and collects. Requires: nobody else has a session.
    void expect_all_destroyed() {
        const cyclic_heap::session session(heap);
        left.reset();
        heap.collect();
        EXPECT_EQ(support::tracked::alive(), 0);
    }

    cyclic_heap heap;
    std::mutex mutex;
    concurrent_cyclic_ptr<node> left;
    int rings = 0;
};

// Sessions have the same address one after the other, so a block must not take a new one for that which made it.
TEST_F(cyclic_heap_sessions, a_thousand_come_and_go_while_one_collects) {
    constexpr int threads = 2;
    std::atomic<int> working = threads;
    support::in_threads(threads + 1, [&](int thread) {
        if (thread == threads) {
            cyclic_heap::session session(heap);
            while (working.load() != 0) {
                leave_ring(session);
                heap.collect();
            }
            return;
        }
        for (int round = 0; round < 500; ++round) {
            cyclic_heap::session session(heap);
            for (int step = 0; step < 5; ++step) leave_ring(session);
            if (round % 3 == 0) const cyclic_heap::pause waiting(session);
        }
        --working;
    });
    expect_all_destroyed();
}

// What the thread_local object owns is released before, in its session.
struct local_to_a_thread {
    explicit local_to_a_thread(cyclic_heap& heap) : session(heap) {}

    cyclic_heap::session session;
    concurrent_cyclic_ptr<node> owner;
};

TEST_F(cyclic_heap_sessions, a_thread_local_one_ends_with_its_thread_while_another_collects) {
    std::atomic<bool> goes_on = true;
    std::thread collector([&] {
        const cyclic_heap::session session(heap);
        while (goes_on.load()) heap.collect();
    });
    for (int round = 0; round < 100; ++round) {
        std::thread([&] {
            static thread_local std::optional<local_to_a_thread> local;
            local.emplace(heap);
            local->owner = make_ring(heap);
            leave_ring(local->session);
        }).join();
    }
    goes_on = false;
    collector.join();
    expect_all_destroyed();
}

TEST_F(cyclic_heap_sessions, a_forgotten_one_ends_with_its_thread_and_blocks_no_collection) {
    std::vector<std::unique_ptr<cyclic_heap::session>> forgotten(50);
    std::thread collector([&] {
        const cyclic_heap::session session(heap);
        for (auto& each : forgotten) {
            {
                const cyclic_heap::pause waiting(const_cast<cyclic_heap::session&>(session));
                std::thread([&] {
                    each = std::make_unique<cyclic_heap::session>(heap);
                    leave_ring(*each);
                }).join();
            }
            heap.collect();
        }
    });
    collector.join();
    forgotten.clear();
    expect_all_destroyed();
}

// Others release its objects meanwhile, so it has some to destroy when it wants to end.
TEST_F(cyclic_heap_sessions, one_ends_while_another_collects_and_releases_its_objects) {
    std::array<concurrent_cyclic_ptr<node>, 64> given;
    for (int round = 0; round < 200; ++round) {
        support::in_threads(2, [&](int thread) {
            std::optional<cyclic_heap::session> session(heap);
            if (thread == 0) {
                for (auto& each : given) {
                    auto made = make_ring(heap);
                    const auto held = session->lock(mutex);
                    each = std::move(made);
                }
            } else {
                for (auto& each : given) {
                    concurrent_cyclic_ptr<node> taken;
                    {
                        const auto held = session->lock(mutex);
                        taken.swap(each);
                    }
                    if (taken) taken->next.reset();
                }
                heap.collect();
            }
        });
    }
    {
        const cyclic_heap::session session(heap);
        for (auto& each : given) each.reset();
    }
    expect_all_destroyed();
}

}  // namespace

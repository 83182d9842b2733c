// The threads of a shared_traced_heap: sessions, safepoints and pauses. tests/concurrency/shared_traced_heap.cpp has
// several that run at once.

#include <gtest/gtest.h>
#include <freehold/traced/shared_traced_heap.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_root.hpp>
#include <freehold/traced/traced_vector.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>

#include "support/heap_session.hpp"
#include "support/threads.hpp"
#include "support/tracked.hpp"
#include "support/tracked_node.hpp"

namespace {

using freehold::shared_traced_heap;
using freehold::traced_local;
using freehold::traced_root;
using freehold::traced_view;
using freehold::traced_weak_ptr;
using support::tracked;
using support::tracked_node;

class shared_sessions : public support::tracked_test {};

// Tells which threads have traced it and its like, and how often.
struct observed {
    void trace(auto& visit) const {
        if (auto* const see = traced.load()) see(*this);
        visit(first);
        visit(second);
    }

    freehold::traced_ptr<observed> first = {};
    freehold::traced_ptr<observed> second = {};

    static inline std::atomic<void (*)(const observed&)> traced = nullptr;
};

// Fills a card.
struct fat_node {
    freehold::traced_ptr<fat_node> next = {};
    std::array<char, 600> unused = {};
};

// A helper may not trace it: an optional may be changing meanwhile.
struct optional_node {
    std::optional<freehold::traced_ptr<optional_node>> next = {};
};

freehold::traced_local<observed> observed_tree(shared_traced_heap& heap, int depth) {
    const traced_local<observed> made = heap.make<observed>();
    if (depth != 0) {
        made->first = observed_tree(heap, depth - 1);
        made->second = observed_tree(heap, depth - 1);
    }
    return made;
}

}  // namespace

TEST_F(shared_sessions, objects_of_an_ended_session_stay) {
    shared_traced_heap heap;
    traced_root<tracked_node> root;
    support::in_a_session(heap, [&](auto&) {
        root = heap.make<tracked_node>(1);
        root->next = heap.make<tracked_node>(2);
        static_cast<void>(heap.make<tracked_node>(3));
    });
    shared_traced_heap::session session(heap);
    heap.collect();
    EXPECT_EQ(root->next->id, 2);
    EXPECT_EQ(tracked::alive(), 2);
    root.reset();
    heap.collect();
}

TEST_F(shared_sessions, stores_of_an_ended_session_are_remembered) {
    shared_traced_heap heap;
    traced_root<tracked_node> old;
    support::in_a_session(heap, [&](auto&) {
        old = heap.make<tracked_node>(1);
        heap.collect();
        heap.collect();
        for (int kind = 0; kind < tracked_node::kinds; ++kind) {
            const traced_local<tracked_node> target = heap.make<tracked_node>(kind);
            old->set(kind, target);
        }
    });
    support::in_a_session(heap, [&](auto&) {
        heap.collect_young();
        EXPECT_EQ(old->next->id, 0);
        EXPECT_EQ(tracked::alive(), 1 + tracked_node::kinds);
        old.reset();
        heap.collect();
    });
}

TEST_F(shared_sessions, stores_of_a_pausing_session_are_remembered) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    const traced_local<tracked_node> old = heap.make<tracked_node>(1);
    heap.collect();
    old->next = heap.make<tracked_node>(2);
    old->many.push_back(heap.make<tracked_node>(3));
    {
        const shared_traced_heap::pause waiting(session);
        support::in_a_session(heap, [&](auto&) { heap.collect_young(); });
    }
    EXPECT_EQ(old->next->id + old->many[0]->id, 5);
    EXPECT_EQ(tracked::alive(), 3);
}

TEST_F(shared_sessions, locals_of_a_pausing_session_are_roots) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    traced_local<tracked_node> list[3];
    for (auto& each : list) each = heap.make<tracked_node>(2);
    {
        const shared_traced_heap::pause waiting(session);
        support::in_a_session(heap, [&](auto&) {
            heap.collect();
            heap.collect();
        });
    }
    EXPECT_EQ(kept->id + list[2]->id, 3);
    EXPECT_EQ(tracked::alive(), 4);
}

TEST_F(shared_sessions, a_thread_has_one_session_after_another) {
    shared_traced_heap heap;
    traced_root<tracked_node> root;
    for (int i = 0; i < 100; ++i) {
        const shared_traced_heap::session session(heap);
        const traced_local<tracked_node> made = heap.make<tracked_node>(i);
        made->next = root;
        root = made;
        if (i % 10 == 0) heap.collect();
    }
    const shared_traced_heap::session session(heap);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 100);
    root.reset();
    heap.collect();
}

TEST_F(shared_sessions, a_thread_uses_one_heap_after_another) {
    for (int i = 0; i < 3; ++i) {
        shared_traced_heap one;
        shared_traced_heap other;
        for (shared_traced_heap* const heap : {&one, &other, &one}) {
            const shared_traced_heap::session session(*heap);
            const traced_local<tracked_node> kept = heap->make<tracked_node>(1);
            kept->next = heap->make<tracked_node>(2);
            heap->collect();
            EXPECT_EQ(kept->next->id, 2);
        }
    }
}

TEST_F(shared_sessions, a_thread_has_a_traced_heap_too) {
    shared_traced_heap shared;
    freehold::traced_heap own;
    const shared_traced_heap::session session(shared);
    const traced_local<tracked_node> there = shared.make<tracked_node>(1);
    const traced_local<tracked_node> here = own.make<tracked_node>(2);
    there->next = shared.make<tracked_node>(3);
    here->next = own.make<tracked_node>(4);
    shared.collect();
    own.collect();
    EXPECT_EQ(there->next->id + here->next->id, 7);
    EXPECT_EQ(tracked::alive(), 4);
}

TEST_F(shared_sessions, a_root_is_destroyed_in_another_thread) {
    shared_traced_heap heap;
    std::optional<traced_root<tracked_node>> root;
    std::optional<traced_weak_ptr<tracked_node>> weak;
    support::in_a_session(heap, [&](auto&) {
        root = heap.make<tracked_node>(1);
        weak = *root;
    });
    support::in_a_session(heap, [&](auto&) { weak.reset(); });
    support::in_a_session(heap, [&](auto&) { root.reset(); });
    support::in_a_session(heap, [&](auto&) { heap.collect(); });
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(shared_sessions, handles_become_empty_with_the_heap) {
    traced_root<tracked_node> root;
    traced_weak_ptr<tracked_node> weak;
    {
        shared_traced_heap heap;
        const shared_traced_heap::session session(heap);
        root = heap.make<tracked_node>(1);
        weak = root;
    }
    EXPECT_FALSE(root);
    EXPECT_TRUE(weak.expired());
}

TEST_F(shared_sessions, a_session_ends_while_another_stops_the_heap) {
    shared_traced_heap heap;
    support::in_threads(3, [&](int number) {
        for (int i = 0; i < 300; ++i) {
            const shared_traced_heap::session session(heap);
            const traced_local<tracked_node> made = heap.make<tracked_node>(i);
            if (number == 0) heap.collect();
            EXPECT_EQ(made->id, i);
        }
    });
    const shared_traced_heap::session session(heap);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

// A session that never allocates, but comes to safepoints.
TEST_F(shared_sessions, a_safepoint_lets_others_collect) {
    shared_traced_heap heap;
    std::latch begun(2);
    std::atomic<bool> has_collected = false;
    support::in_threads(2, [&](int number) {
        shared_traced_heap::session session(heap);
        begun.count_down();
        {
            const shared_traced_heap::pause waiting(session);
            begun.wait();
        }
        if (number == 0) {
            heap.collect();
            has_collected = true;
        }
        while (!has_collected) session.safepoint();
    });
}

TEST_F(shared_sessions, what_allocates_is_a_safepoint) {
    shared_traced_heap heap;
    std::atomic<int> left = 4;
    support::in_threads(5, [&](int number) {
        const shared_traced_heap::session session(heap);
        if (number == 4) {
            while (left != 0) heap.collect();
            return;
        }
        const traced_local<tracked_node> owner = heap.make<tracked_node>(1);
        for (int i = 0; i < 50; ++i) {
            switch (number) {
                case 0: static_cast<void>(heap.make_array<int>(3)); break;
                case 1: owner->children.push_back(owner); break;
                case 2: owner->sorted[i] = owner; break;
                default: heap.collect_if_due(); break;
            }
        }
        --left;
    });
    const shared_traced_heap::session session(heap);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(shared_sessions, a_lock_lets_others_collect) {
    shared_traced_heap heap;
    std::mutex mutex;
    int sum = 0;
    support::in_threads(3, [&](int) {
        shared_traced_heap::session session(heap);
        for (int i = 0; i < 200; ++i) {
            const std::unique_lock<std::mutex> held = session.lock(mutex);
            EXPECT_TRUE(held.owns_lock());
            const traced_local<tracked_node> made = heap.make<tracked_node>(1);
            if (i % 20 == 0) heap.collect();
            sum += made->id;
        }
    });
    EXPECT_EQ(sum, 600);
    const shared_traced_heap::session session(heap);
    heap.collect();
}

TEST_F(shared_sessions, a_deferral_of_one_keeps_others_waiting) {
    shared_traced_heap heap;
    std::atomic<bool> is_deferred = false;
    std::atomic<bool> is_over = false;
    support::in_threads(2, [&](int number) {
        shared_traced_heap::session session(heap);
        if (number == 0) {
            {
                const shared_traced_heap::deferral change(heap);
                is_deferred = true;
                for (int i = 0; i < 20'000; ++i) static_cast<void>(heap.make<tracked_node>(i));
                session.safepoint();
                heap.collect();
                EXPECT_EQ(tracked::destroyed(), 0);
                is_over = true;
            }
            session.safepoint();
        } else {
            while (!is_deferred) session.safepoint();
            heap.collect();
            EXPECT_TRUE(is_over);
        }
    });
    const shared_traced_heap::session session(heap);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

// The other threads make objects in chunks that one gives back when they are empty.
TEST_F(shared_sessions, one_trims_while_others_allocate) {
    shared_traced_heap heap;
    std::atomic<int> left = 2;
    support::in_threads(3, [&](int number) {
        const shared_traced_heap::session session(heap);
        if (number == 0) {
            while (left != 0) heap.trim();
            return;
        }
        for (int i = 0; i < 1000; ++i) {
            const auto made = heap.make_array<int>(static_cast<std::size_t>(i % 100) * 1000, number);
            for (const int each : *made) ASSERT_EQ(each, number);
        }
        --left;
    });
    const shared_traced_heap::session session(heap);
    heap.trim();
    EXPECT_EQ(heap.heap_bytes(), 0U);
}

// A collection in steps would run beside the sessions.
TEST_F(shared_sessions, many_collect_if_due) {
    shared_traced_heap heap({.nursery_bytes = 16 * 1024, .min_full_bytes = 16 * 1024, .pause_budget = 64});
    support::in_threads(3, [&](int) {
        const shared_traced_heap::session session(heap);
        traced_local<tracked_node> list;
        for (int i = 0; i < 3000; ++i) {
            const traced_local<tracked_node> made = heap.make<tracked_node>(i);
            if (i % 200 != 0) made->next = list;
            list = made;
            heap.collect_if_due();
        }
    });
    const shared_traced_heap::session session(heap);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

namespace {

// Not counted, as it lives beside all tests.
struct made_before_main {
    int id;
};

traced_root<made_before_main> static_root;  // before the heap, which empties it
shared_traced_heap static_heap;
const bool is_filled_before_main = [] {
    const shared_traced_heap::session session(static_heap);
    static_root = static_heap.make<made_before_main>(7);
    return true;
}();

}  // namespace

// What is left dies after main.
TEST(static_shared_heap, objects_are_made_before_main) {
    EXPECT_TRUE(is_filled_before_main);
    const shared_traced_heap::session session(static_heap);
    static_heap.collect();
    EXPECT_EQ(static_root->id, 7);
}

TEST_F(shared_sessions, stores_make_a_collection_due) {
    std::size_t longest = 0;
    int collections = 0;
    shared_traced_heap heap({.pause_budget = 64, .on_collection = [&](const freehold::traced_collection& each) {
                                 longest = std::max(longest, each.work);
                                 ++collections;
                             }});
    shared_traced_heap::session session(heap);
    using fat_nodes = freehold::traced_vector<freehold::traced_ptr<fat_node>>;
    const traced_local<fat_nodes> old = heap.make<fat_nodes>();
    for (int i = 0; i < 5000; ++i) old->push_back(heap.make<fat_node>());
    heap.collect();
    longest = 0;
    collections = 0;
    for (const auto& each : *old) each->next = heap.make<fat_node>();
    EXPECT_GT(collections, 30);
    EXPECT_LT(longest, 1000U);
}

TEST_F(shared_sessions, a_young_collection_looks_only_at_the_slot_of_a_store) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    const traced_local<observed> old = observed_tree(heap, 10);
    heap.collect();
    old->first->second = heap.make<observed>();
    static std::atomic<int> calls;
    calls = 0;
    observed::traced = [](const observed&) { ++calls; };
    heap.collect_young();
    observed::traced = nullptr;
    EXPECT_EQ(calls, 2);  // of the object with the slot, and of the new one
}

TEST_F(shared_sessions, stopped_sessions_mark) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    const traced_local<observed> tree = observed_tree(heap, 16);
    static std::atomic<std::thread::id> first;
    static std::atomic<bool> others_mark;
    static std::atomic<int> waits;
    first = std::thread::id();
    others_mark = false;
    waits = 500;
    observed::traced = [](const observed&) {
        std::thread::id none;
        if (!first.compare_exchange_strong(none, std::this_thread::get_id()) && none != std::this_thread::get_id())
            others_mark = true;
    };
    std::atomic<bool> ends = false;
    std::latch begun(2);
    std::thread other([&] {
        shared_traced_heap::session its(heap);
        begun.arrive_and_wait();
        while (!ends) its.safepoint();
    });
    {
        const shared_traced_heap::pause waiting(session);
        begun.arrive_and_wait();
    }
    while (!others_mark && waits-- != 0) heap.collect();
    ends = true;
    observed::traced = nullptr;
    {
        const shared_traced_heap::pause waiting(session);
        other.join();
    }
    EXPECT_TRUE(others_mark);
}

TEST_F(shared_sessions, many_short_ones_take_little_memory) {
    shared_traced_heap heap;
    support::in_threads(2, [&](int) {
        for (int i = 0; i < 1000; ++i) {
            const shared_traced_heap::session session(heap);
            static_cast<void>(heap.make<fat_node>());
        }
    });
    EXPECT_LE(heap.heap_bytes(), std::size_t{16} << 20);
}

TEST_F(shared_sessions, what_no_helper_may_trace_is_marked_in_short_stops) {
    int steps = 0;
    int cycles = 0;
    std::size_t longest = 0;
    shared_traced_heap heap({.nursery_bytes = 64 * 1024,
                             .min_full_bytes = 1024 * 1024,
                             .pause_budget = 512,
                             .on_collection = [&](const freehold::traced_collection& each) {
                                 steps += each.kind == freehold::traced_pause::mark_step ? 1 : 0;
                                 cycles += each.kind == freehold::traced_pause::last_step ? 1 : 0;
                                 longest = std::max(longest, each.work);
                             }});
    shared_traced_heap::session session(heap);
    traced_local<optional_node> list;
    for (int i = 0; i < 100'000; ++i) {
        const traced_local<optional_node> made = heap.make<optional_node>();
        made->next = list;
        list = made;
    }
    longest = 0;
    for (int i = 0; i < 300'000; ++i) static_cast<void>(heap.make<fat_node>());
    EXPECT_GT(steps, 10);
    EXPECT_GT(cycles, 0);
    EXPECT_LT(longest, 10 * 512U);
}

TEST_F(shared_sessions, one_that_comes_to_no_safepoint_is_told) {
    if constexpr (!freehold::detail::heap_checks::is_on) GTEST_SKIP() << "checks are off";
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    std::latch begun(1);
    std::thread blocking([&] {
        const shared_traced_heap::session its(heap);
        begun.count_down();
        std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    });
    begun.wait();
    testing::internal::CaptureStderr();
    heap.collect();
    const std::string told = testing::internal::GetCapturedStderr();
    blocking.join();
    EXPECT_NE(told.find("sessions that have come to no safepoint: 1"), std::string::npos) << told;
}

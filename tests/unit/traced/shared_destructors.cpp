// What destructors and finalizers of a shared_traced_heap may do: they run in the session that collects, the former
// while all others are stopped.

#include <gtest/gtest.h>
#include <freehold/traced/shared_traced_heap.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <freehold/memory/page_cache.hpp>
#include <freehold/traced/traced_root.hpp>
#include <freehold/traced/traced_root_vector.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>
#include <freehold/tracing/traces_concurrently.hpp>

#include "support/heap_session.hpp"
#include "support/tracked.hpp"
#include "support/tracked_node.hpp"

namespace {

using freehold::shared_traced_heap;
using freehold::traced_heap_options;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using freehold::traced_view;
using support::in_another_session;
using support::tracked;
using support::tracked_node;

class shared_destructors : public support::tracked_test {};

// Calls a function when it is destroyed.
struct shared_last_call {
    explicit shared_last_call(std::function<void()> work) : last(std::move(work)) {}
    shared_last_call(const shared_last_call&) = delete;
    shared_last_call& operator=(const shared_last_call&) = delete;
    ~shared_last_call() { last(); }
    void trace(auto&) const {}

    tracked counted;
    std::function<void()> last;
};

}  // namespace

template <>
inline constexpr bool freehold::is_untraced<std::function<void()>> = true;

TEST_F(shared_destructors, a_destructor_allocates) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    traced_root<tracked_node> left;
    static_cast<void>(heap.make<shared_last_call>([&] { left = heap.make<tracked_node>(1); }));
    heap.collect();
    EXPECT_EQ(left->id, 1);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 1);
    left.reset();
    heap.collect();
}

TEST_F(shared_destructors, a_destructor_stores_into_an_old_object) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    const traced_local<tracked_node> old = heap.make<tracked_node>(1);
    heap.collect();
    tracked_node* const it = old.get();
    static_cast<void>(heap.make<shared_last_call>([&heap, it] { it->next = heap.make_unrooted<tracked_node>(2); }));
    heap.collect_young();
    heap.collect_young();
    EXPECT_EQ(old->next->id, 2);
}

TEST_F(shared_destructors, the_end_of_the_heap_destroys_what_destructors_make) {
    {
        shared_traced_heap heap;
        shared_traced_heap::session session(heap);
        static_cast<void>(heap.make<shared_last_call>([&heap] {
            static_cast<void>(heap.make<tracked_node>(1));
            static_cast<void>(heap.make<shared_last_call>([&heap] { static_cast<void>(heap.make<tracked_node>(2)); }));
        }));
    }
    EXPECT_EQ(tracked::destroyed(), 4);
}

TEST_F(shared_destructors, a_destructor_comes_to_no_safepoint) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    static_cast<void>(heap.make<shared_last_call>([&] {
        session.safepoint();
        heap.collect();
        heap.collect_if_due();
        heap.trim();
    }));
    heap.collect();
    EXPECT_EQ(tracked::destroyed(), 1);
    bool has_begun = false;
    in_another_session(heap, session, [&](auto&) { has_begun = true; });
    EXPECT_TRUE(has_begun);
}

namespace {

// Of 16 KiB, so that a chunk has 244 of them. As it dies, it stores a new object in itself: a card of a chunk that is
// empty then.
struct shared_storer {
    explicit shared_storer(shared_traced_heap& its_heap) : heap(its_heap) {}
    shared_storer(const shared_storer&) = delete;
    shared_storer& operator=(const shared_storer&) = delete;
    ~shared_storer() {
        if (part) self->part = heap.make_unrooted<tracked_node>(1);
    }
    void trace(auto& visit) const { visit(part); }

    shared_traced_heap& heap;
    shared_storer* self = this;
    traced_ptr<tracked_node> part;
    std::array<char, 16'000> rest = {};
};

}  // namespace

TEST_F(shared_destructors, a_chunk_that_destructors_store_into_is_not_given_back) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    freehold::traced_root<tracked_node> kept = heap.make<tracked_node>(0);
    {
        std::vector<traced_root<shared_storer>> all;
        for (int i = 0; i < 1000; ++i) {
            all.emplace_back(heap.make<shared_storer>(heap));
            all.back()->part = kept;
        }
        heap.collect();
    }
    heap.collect();
    freehold::page_cache::shared().trim();
    heap.collect_young();
    heap.collect();
    EXPECT_EQ(tracked::alive(), 1);
    kept.reset();
    heap.collect();
}

TEST_F(shared_destructors, a_finalizer_keeps_its_object) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    traced_root<tracked_node> kept;
    {
        const traced_local<tracked_node> made = heap.make<tracked_node>(1);
        made->next = heap.make<tracked_node>(2);
        heap.add_finalizer(made, [&kept](tracked_node& dying) { kept = traced_view(&dying); });
    }
    heap.collect();
    heap.collect();
    EXPECT_EQ(kept->next->id, 2);
    EXPECT_EQ(tracked::alive(), 2);
    kept.reset();
    heap.collect();
}

TEST_F(shared_destructors, a_finalizer_allocates_and_collects) {
    shared_traced_heap heap({.collect_at_every_allocation = true});
    shared_traced_heap::session session(heap);
    int runs = 0;
    for (int i = 0; i < 10; ++i) {
        heap.add_finalizer(heap.make<tracked_node>(i), [&](tracked_node& dying) {
            dying.next = heap.make<tracked_node>(dying.id);
            dying.next->next = heap.make<tracked_node>(dying.id);
            EXPECT_EQ(dying.next->id, dying.id);
            ++runs;
        });
    }
    heap.collect();
    EXPECT_EQ(runs, 10);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(shared_destructors, a_finalizer_holds_a_root) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    int sum = 0;
    for (int i = 0; i < 3; ++i) {
        const traced_root<tracked_node> held = heap.make<tracked_node>(i);
        heap.add_finalizer(heap.make<tracked_node>(), [&sum, held](tracked_node&) { sum += held->id; });
    }
    heap.collect();
    EXPECT_EQ(sum, 3);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(shared_destructors, the_heap_ends_with_finalizers_that_hold_roots) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    const traced_root<tracked_node> held = heap.make<tracked_node>(1);
    const traced_local<tracked_node> kept = heap.make<tracked_node>(2);
    heap.add_finalizer(kept, [held](tracked_node&) { FAIL() << "the heap ends"; });
}

TEST_F(shared_destructors, what_becomes_due_while_a_finalizer_runs_is_run_after_it) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    std::vector<std::thread::id> ran;
    std::atomic<bool> is_running = false;
    std::atomic<bool> has_collected = false;
    std::thread other([&] {
        while (!is_running) std::this_thread::yield();
        shared_traced_heap::session its(heap);
        heap.add_finalizer(heap.make<tracked_node>(2), [&](auto&) { ran.push_back(std::this_thread::get_id()); });
        heap.collect();
        has_collected = true;
    });
    heap.add_finalizer(heap.make<tracked_node>(1), [&](auto&) {
        is_running = true;
        while (!has_collected) session.safepoint();
        ran.push_back(std::this_thread::get_id());
    });
    heap.collect();
    other.join();
    EXPECT_EQ(ran, std::vector(2, std::this_thread::get_id()));
    heap.collect();
}

TEST_F(shared_destructors, the_session_that_collects_runs_finalizers_of_others) {
    shared_traced_heap heap;
    shared_traced_heap::session session(heap);
    std::thread::id ran;
    in_another_session(heap, session, [&](auto&) {
        heap.add_finalizer(heap.make<tracked_node>(1), [&](auto&) { ran = std::this_thread::get_id(); });
    });
    heap.collect();
    EXPECT_EQ(ran, std::this_thread::get_id());
    heap.collect();
}

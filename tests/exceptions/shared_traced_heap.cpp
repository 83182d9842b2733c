// The state of a shared_traced_heap after an allocation throws, and what needs no memory.

#include <gtest/gtest.h>
#include <freehold/traced/shared_traced_heap.hpp>

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <new>
#include <optional>
#include <thread>
#include <vector>

#include <freehold/diagnosis/traced_snapshot.hpp>
#include <freehold/traced/atomic_traced_ptr.hpp>
#include <freehold/traced/traced_deque.hpp>
#include <freehold/traced/traced_frame.hpp>
#include <freehold/traced/traced_map.hpp>
#include <freehold/traced/traced_root.hpp>
#include <freehold/traced/traced_root_vector.hpp>
#include <freehold/traced/traced_unordered_map.hpp>
#include <freehold/traced/traced_vector.hpp>

#include "support/allocation_failure.hpp"
#include "support/limited_new.hpp"
#include "support/tracked.hpp"

namespace {

using freehold::shared_traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using support::fail_each_allocation;
using support::limited_new;
using support::tracked;

class shared_traced_heap_failure : public support::tracked_test {};

struct shared_leaf {
    tracked counted;
};

struct shared_holder {
    void trace(auto& visit) const { visit(leaf, shared, outside); }
    traced_ptr<shared_leaf> leaf;
    freehold::atomic_traced_ptr<shared_leaf> shared;
    std::vector<traced_ptr<shared_leaf>> outside;
};

struct shared_containers {
    void trace(auto& visit) const { visit(vector, deque, map, hashed); }
    freehold::traced_vector<traced_ptr<shared_leaf>> vector;
    freehold::traced_deque<traced_ptr<shared_leaf>> deque;
    freehold::traced_map<int, traced_ptr<shared_leaf>> map;
    freehold::traced_unordered_map<int, traced_ptr<shared_leaf>> hashed;
};

// Its frame is in the heap, and ends at once.
struct shared_run {
    struct promise_type : freehold::traced_promise<promise_type> {
        shared_run get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { throw; }
    };
};

shared_run run_in_frame(shared_traced_heap& heap) {
    const tracked counted;
    const traced_local<shared_leaf> leaf = heap.make<shared_leaf>();
    EXPECT_EQ(tracked::alive(), 2);
    co_return;
}

shared_run collect_in_frame(shared_traced_heap& heap) {
    const tracked counted;
    const traced_local<shared_leaf> leaf = heap.make<shared_leaf>();
    for (int allowed = 0; allowed < 10; ++allowed) {
        const limited_new few(allowed);
        heap.collect();
        EXPECT_EQ(tracked::alive(), 2);
    }
    co_return;
}

// Effects: calls operation() in a new heap, with each of its allocations failing in turn. Returns: their number.
template <class Operation>
int fail_each_in_a_heap(Operation operation) {
    std::optional<shared_traced_heap> heap;
    std::optional<shared_traced_heap::session> session;
    const auto end = [&] {
        heap->collect();
        EXPECT_EQ(tracked::alive(), 0);
        session.reset();
        heap.reset();
    };
    const int failures = fail_each_allocation(
        [&](int allowed) {
            heap.emplace();
            session.emplace(*heap);
            const limited_new few(allowed);
            operation(*heap);
        },
        end);
    end();
    return failures;
}

}  // namespace

TEST_F(shared_traced_heap_failure, make_without_memory_changes_nothing) {
    EXPECT_GE(fail_each_in_a_heap([](shared_traced_heap& heap) {
                  const traced_local<shared_leaf> made = heap.make<shared_leaf>();
                  EXPECT_EQ(tracked::alive(), 1);
              }),
              3);
}

TEST_F(shared_traced_heap_failure, an_array_without_memory_changes_nothing) {
    for (const std::size_t size : {std::size_t{10}, std::size_t{10'000}, std::size_t{400'000}}) {
        EXPECT_GE(fail_each_in_a_heap([size](shared_traced_heap& heap) {
                      const auto made = heap.make_array<traced_ptr<shared_leaf>>(size);
                      (*made)[size - 1] = heap.make<shared_leaf>();
                      EXPECT_EQ(tracked::alive(), 1);
                  }),
                  3);
    }
}

TEST_F(shared_traced_heap_failure, containers_without_memory_are_as_they_were) {
    shared_traced_heap heap;
    const shared_traced_heap::session session(heap);
    const traced_local<shared_containers> its = heap.make<shared_containers>();
    int size = 0;
    int failures = 0;
    const auto grow = [&](auto add) {
        failures += fail_each_allocation(
            [&](int allowed) {
                const limited_new few(allowed);
                const traced_local<shared_leaf> added = heap.make<shared_leaf>();
                add(added);
            },
            [] {});
    };
    for (; size < 300; ++size) {
        grow([&](const traced_local<shared_leaf>& added) { its->vector.push_back(added); });
        grow([&](const traced_local<shared_leaf>& added) { its->deque.push_front(added); });
        grow([&](const traced_local<shared_leaf>& added) { its->map[size] = added; });
        grow([&](const traced_local<shared_leaf>& added) { its->hashed[size] = added; });
        ASSERT_EQ(its->vector.size() + its->deque.size(), static_cast<std::size_t>(2 * size + 2));
        ASSERT_EQ(its->map.size() + its->hashed.size(), static_cast<std::size_t>(2 * size + 2));
    }
    EXPECT_GE(failures, 5);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 1200);
}

TEST_F(shared_traced_heap_failure, a_root_vector_without_memory_is_as_it_was) {
    EXPECT_GE(fail_each_in_a_heap([](shared_traced_heap& heap) {
                  freehold::traced_root_vector<shared_leaf> roots(heap);
                  for (int i = 0; i < 20; ++i) roots.emplace_back();
              }),
              3);
}

TEST_F(shared_traced_heap_failure, a_finalizer_without_memory_is_not_added) {
    shared_traced_heap heap;
    const shared_traced_heap::session session(heap);
    int runs = 0;
    int failures = 0;
    for (int i = 0; i < 10; ++i) {
        const traced_local<shared_leaf> made = heap.make<shared_leaf>();
        failures += fail_each_allocation(
            [&](int allowed) {
                const limited_new few(allowed);
                heap.add_finalizer(made, [&runs](shared_leaf&) { ++runs; });
            },
            [] {});
    }
    EXPECT_GE(failures, 10);
    heap.collect();
    EXPECT_EQ(runs, 10);
    heap.collect();
}

TEST_F(shared_traced_heap_failure, external_bytes_without_memory_are_not_told) {
    shared_traced_heap heap;
    const shared_traced_heap::session session(heap);
    std::vector<traced_root<shared_leaf>> all(40);
    int failures = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = heap.make<shared_leaf>();
        failures += fail_each_allocation(
            [&](int allowed) {
                const limited_new few(allowed);
                heap.external_bytes(all[i], 10);
            },
            [&] { EXPECT_EQ(heap.external_bytes(), 10 * i); });
        EXPECT_EQ(heap.external_bytes(), 10 * (i + 1));
    }
    EXPECT_GE(failures, 3);
    all.clear();
    heap.collect();
}

TEST_F(shared_traced_heap_failure, sessions_and_pauses_need_no_memory) {
    shared_traced_heap heap;
    const limited_new none(0);
    for (int i = 0; i < 3; ++i) {
        shared_traced_heap::session session(heap);
        const shared_traced_heap::pause waiting(session);
    }
}

TEST_F(shared_traced_heap_failure, a_collection_without_memory_loses_nothing) {
    shared_traced_heap heap;
    const shared_traced_heap::session session(heap);
    const traced_local<shared_holder> kept = heap.make<shared_holder>();
    for (int i = 0; i < 1000; ++i) kept->outside.push_back(heap.make<shared_leaf>());
    for (int allowed = 0; allowed < 10; ++allowed) {
        const limited_new few(allowed);
        heap.collect();
        heap.collect_young();
    }
    EXPECT_EQ(tracked::alive(), 1000);
}

// What a session has stored without memory is found by a full collection, and its cards are as they were: the next
// store is remembered.
TEST_F(shared_traced_heap_failure, a_store_without_memory_is_not_lost) {
    shared_traced_heap heap;
    const shared_traced_heap::session session(heap);
    const traced_local<shared_holder> old = heap.make<shared_holder>();
    heap.collect();
    traced_local<shared_leaf> young = heap.make<shared_leaf>();
    {
        const traced_local<shared_leaf> other = heap.make<shared_leaf>();
        const limited_new none(0);
        old->leaf = young;
        old->shared = other;
    }
    young = nullptr;
    heap.collect_young();
    EXPECT_EQ(tracked::alive(), 2);
    old->leaf = heap.make<shared_leaf>();
    heap.collect_young();
    EXPECT_EQ(tracked::alive(), 3);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 2);
}

TEST_F(shared_traced_heap_failure, stores_of_a_session_that_ends_without_memory_are_not_lost) {
    shared_traced_heap heap;
    traced_root<shared_holder> old;
    {
        const shared_traced_heap::session session(heap);
        old = heap.make<shared_holder>();
        old->outside.resize(1);
        heap.collect();
    }
    {
        std::optional<shared_traced_heap::session> session(std::in_place, heap);
        old->leaf = heap.make_unrooted<shared_leaf>();
        old->outside[0] = heap.make_unrooted<shared_leaf>();
        const limited_new none(0);
        session.reset();
    }
    const shared_traced_heap::session session(heap);
    heap.collect_young();
    EXPECT_EQ(tracked::alive(), 2);
    old->leaf = heap.make<shared_leaf>();
    heap.collect_young();
    EXPECT_EQ(tracked::alive(), 3);
    old.reset();
    heap.collect();
}

TEST_F(shared_traced_heap_failure, a_snapshot_without_memory_lets_the_others_run) {
    shared_traced_heap heap;
    std::atomic<bool> has_ended = false;
    std::atomic<int> made = 0;
    std::thread other([&] {
        shared_traced_heap::session session(heap);
        while (!has_ended) {
            const traced_local<shared_leaf> leaf = heap.make<shared_leaf>();
            ++made;
        }
    });
    {
        shared_traced_heap::session session(heap);
        const traced_local<shared_holder> kept = heap.make<shared_holder>();
        for (int i = 0; i < 100; ++i) kept->outside.push_back(heap.make<shared_leaf>());
        long blocks = 0;
        const int failures = fail_each_allocation(
            [&](int allowed) {
                blocks = limited_new::living();
                const limited_new few(allowed);
                EXPECT_GT(freehold::snapshot_of(heap).size(), 100U);
            },
            [&] {
                EXPECT_EQ(limited_new::living(), blocks);
                const int before = made;
                while (made == before) {
                    session.safepoint();  // the other's collection may wait for it
                    std::this_thread::yield();
                }
                heap.collect();
            });
        EXPECT_GE(failures, 10);
        has_ended = true;
    }
    other.join();
}

TEST_F(shared_traced_heap_failure, a_coroutine_without_memory_is_not_called) {
    EXPECT_GE(fail_each_in_a_heap([](shared_traced_heap& heap) { run_in_frame(heap); }), 4);
}

TEST_F(shared_traced_heap_failure, a_coroutine_that_runs_is_kept_without_memory) {
    shared_traced_heap heap;
    const shared_traced_heap::session session(heap);
    collect_in_frame(heap);
    EXPECT_LE(tracked::alive(), 1);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(shared_traced_heap_failure, a_pause_without_memory_does_not_block_collections) {
    shared_traced_heap heap;
    std::optional<shared_traced_heap::session> session(std::in_place, heap);
    {
        const traced_local<shared_leaf> kept = heap.make<shared_leaf>();
        std::optional<shared_traced_heap::pause> waiting;
        {
            const limited_new none(0);
            waiting.emplace(*session);
        }
        std::thread([&] {
            const shared_traced_heap::session other(heap);
            for (int i = 0; i < 10; ++i) static_cast<void>(heap.make<shared_leaf>());
            heap.collect();
            EXPECT_EQ(tracked::alive(), 1);
        }).join();
        waiting.reset();
    }
    session.reset();
}

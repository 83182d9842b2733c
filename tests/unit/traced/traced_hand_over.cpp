// A heap that goes from thread to thread. tests/concurrency/traced_hand_over.cpp has several at once.

#include <gtest/gtest.h>
#include <freehold/traced/traced_heap.hpp>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <freehold/traced/ephemeron.hpp>
#include <freehold/traced/traced_root_vector.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>

#include "support/key_destructor.hpp"
#include "support/opened_heap.hpp"
#include "support/thread_locals.hpp"
#include "support/tracked.hpp"
#include "support/tracked_node.hpp"

namespace {

struct traced_hand_over_tests;

}  // namespace

template struct support::opened_heap<&freehold::traced_heap::collector_, traced_hand_over_tests>;

namespace {

using freehold::traced_heap;
using freehold::traced_heap_options;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using freehold::traced_view;
using freehold::traced_weak_ptr;
using support::tracked;
using support::tracked_node;

class traced_hand_over : public support::tracked_test {};

// Effects: calls work() in another thread to which the heap is attached. Requires: it is attached to this one.
template <class Work>
void elsewhere(traced_heap& heap, Work work) {
    heap.detach();
    std::thread([&] {
        const traced_heap::attachment here(heap);
        work();
    }).join();
    heap.attach();
}

struct slot {
    traced_ptr<slot> target;
};

// Of 12 MiB: most addresses in it are after the first 4 MiB.
constexpr std::size_t wide_size = std::size_t{3} * 512 * 1024;
using wide = std::array<slot, wide_size>;

constexpr std::size_t far_place = wide_size - 1;

traced_view<slot> make_slot(traced_heap& heap) {
    return traced_view<slot>(heap.make_unrooted<std::array<slot, 1>>()->data());
}

struct holder {
    std::vector<traced_ptr<tracked_node>> nodes;
};

// Effects: makes a list, whose first node the root leads to.
void fill(traced_heap& heap, traced_root<tracked_node>& root, int nodes) {
    for (int i = 0; i < nodes; ++i) {
        const traced_local<tracked_node> made = heap.make<tracked_node>(i);
        made->next = root;
        root = made;
    }
}

int length(traced_view<tracked_node> list) {
    int count = 0;
    for (; list; list = list->next) ++count;
    return count;
}

struct makes_others {
    explicit makes_others(traced_heap& used) : heap(used) {}
    makes_others(const makes_others&) = delete;
    makes_others& operator=(const makes_others&) = delete;
    ~makes_others() {
        const traced_local<wide> large = heap.make<wide>();
        (*large)[far_place].target = traced_view<slot>(large->data());
        static_cast<void>(heap.make<tracked_node>(1));
    }
    void trace(auto& /*visit*/) const {}

    traced_heap& heap;
};

// Effects: overwrites what earlier calls have left on the stack.
[[gnu::noinline]] void clear_stack() {
    volatile char unused[32768] = {};
    static_cast<void>(unused[0]);
}

}  // namespace

// Its handles and chunks know its address.
static_assert(!std::is_move_constructible_v<traced_heap> && !std::is_move_assignable_v<traced_heap>);

TEST_F(traced_hand_over, a_heap_is_used_in_another_thread) {
    traced_heap heap;
    traced_root<tracked_node> root;
    fill(heap, root, 100);
    elsewhere(heap, [&] {
        EXPECT_EQ(length(root), 100);
        fill(heap, root, 100);
        heap.collect();
        EXPECT_EQ(length(root), 200);
        root = root->next;
        heap.collect();
        EXPECT_EQ(tracked::alive(), 199);
    });
    EXPECT_EQ(length(root), 199);
    root.reset();
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(traced_hand_over, the_locals_of_the_thread_are_roots) {
    traced_heap heap;
    elsewhere(heap, [&] {
        const traced_local<tracked_node> on_stack = heap.make<tracked_node>(1);
        const std::vector<traced_local<tracked_node>> listed = {heap.make<tracked_node>(2)};
        heap.collect();
        EXPECT_EQ(tracked::alive(), 2);
    });
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(traced_hand_over, a_young_collection_knows_the_stores_of_another_thread) {
    traced_heap heap;
    traced_root<tracked_node> old = heap.make<tracked_node>(0);
    const traced_root<holder> buffers = heap.make<holder>();
    heap.collect();
    for (int kind = 0; kind < tracked_node::kinds; ++kind) {
        old->set(kind, heap.make<tracked_node>(kind));
        buffers->nodes.push_back(heap.make<tracked_node>(kind));
    }
    const int alive = tracked::alive();
    elsewhere(heap, [&] {
        heap.collect_young();
        EXPECT_EQ(tracked::alive(), alive);
    });
}

TEST_F(traced_hand_over, weak_pointers_ephemerons_and_vectors_come_along) {
    traced_heap heap;
    freehold::traced_root_vector<tracked_node> roots(heap);
    roots.emplace_back();
    const traced_weak_ptr<tracked_node> kept = roots[0];
    traced_weak_ptr<tracked_node> lost;
    freehold::ephemeron<tracked_node, tracked_node> pair;
    {
        const traced_local<tracked_node> value = heap.make<tracked_node>(2);
        lost = heap.make<tracked_node>(1);
        pair = {roots[0], value};
    }
    elsewhere(heap, [&] {
        for (int i = 0; i < 1000; ++i) roots.emplace_back();
        heap.collect();
        EXPECT_EQ(kept.lock(), roots[0]);
        EXPECT_TRUE(lost.expired());
        EXPECT_EQ(pair.value()->id, 2);
        EXPECT_EQ(tracked::alive(), 1002);
        roots.clear();
        heap.collect();
        EXPECT_TRUE(kept.expired());
        EXPECT_TRUE(pair.expired());
    });
}

TEST_F(traced_hand_over, a_finalizer_runs_in_the_thread_that_collects) {
    traced_heap heap;
    std::thread::id finalized_in;
    heap.add_finalizer(heap.make<tracked_node>(1), [&](tracked_node&) { finalized_in = std::this_thread::get_id(); });
    elsewhere(heap, [&] {
        heap.collect();
        EXPECT_EQ(finalized_in, std::this_thread::get_id());
    });
}

TEST_F(traced_hand_over, a_marking_in_steps_goes_on_in_another_thread) {
    for (const int steps : {0, 1, 50, 200, 1000}) {
        traced_heap_options options;
        options.pause_budget = 1;
        traced_heap heap(options);
        traced_root<tracked_node> list;
        fill(heap, list, 500);
        heap.collect();
        const traced_root<tracked_node> black = list;
        support::collector_of(heap).begin_cycle();
        heap.collect_young();
        for (int i = 0; i < steps; ++i) support::collector_of(heap).step(1);
        elsewhere(heap, [&] {
            const traced_local<tracked_node> saved = list->next->next->next;
            list->next->next = nullptr;
            black->maybe.emplace(saved);
            black->many.push_back(heap.make<tracked_node>(-1));
            for (int i = 0; i < steps; ++i) support::collector_of(heap).step(1);
        });
        EXPECT_TRUE(support::finish_cycle(heap));
        EXPECT_EQ(length(*black->maybe), 497);
        EXPECT_EQ(black->many[0]->id, -1);
        heap.collect();
        EXPECT_EQ(tracked::alive(), 500);
    }
}

TEST_F(traced_hand_over, a_sweep_in_steps_goes_on_in_another_thread) {
    traced_heap_options options;
    options.pause_budget = 1;
    traced_heap heap(options);
    traced_root<tracked_node> list;
    fill(heap, list, 5000);
    heap.collect();
    list->next = nullptr;
    support::collector_of(heap).begin_cycle();
    while (tracked::destroyed() == 0) {
        support::collector_of(heap).step(1);
        heap.collect_young();
    }
    ASSERT_TRUE(support::collector_of(heap).has_steps());
    elsewhere(heap, [&] {
        EXPECT_TRUE(support::finish_cycle(heap));
        EXPECT_EQ(tracked::alive(), 1);
    });
}

TEST_F(traced_hand_over, a_conservative_stack_is_that_of_the_thread) {
    traced_heap_options options;
    options.conservative_stack = true;
    traced_heap heap(options);
    elsewhere(heap, [&] {
        tracked_node* volatile on_stack = heap.make_unrooted<tracked_node>(1).get();
        clear_stack();
        heap.collect();
        EXPECT_EQ(tracked::alive(), 1);
        EXPECT_EQ(on_stack->id, 1);
    });
    clear_stack();
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);  // the stack of that thread is gone
}

TEST_F(traced_hand_over, several_threads_mark_in_the_new_thread) {
    traced_heap_options options;
    options.mark_threads = 3;
    traced_heap heap(options);
    const traced_root<wide> large = heap.make<wide>();
    for (std::size_t i = 0; i < large->size(); i += 1000) (*large)[i].target = make_slot(heap);
    elsewhere(heap, [&] {
        heap.collect();
        for (std::size_t i = 0; i < large->size(); i += 1000) EXPECT_FALSE((*large)[i].target->target);
    });
}

TEST_F(traced_hand_over, an_object_of_many_chunks_is_known_in_its_thread) {
    traced_heap heap;
    traced_heap stays;
    const traced_root<wide> large = heap.make<wide>();
    const traced_root<wide> other = stays.make<wide>();
    const auto store_and_collect = [](traced_heap& used, wide& in) {
        used.collect();
        in[far_place].target = make_slot(used);
        const traced_weak_ptr<slot> stored = in[far_place].target;
        used.collect_young();
        return !stored.expired();
    };
    elsewhere(heap, [&] { EXPECT_TRUE(store_and_collect(heap, *large)); });
    EXPECT_TRUE(store_and_collect(heap, *large));
    heap.detach();
    EXPECT_TRUE(store_and_collect(stays, *other));
    heap.attach();
    EXPECT_TRUE(store_and_collect(stays, *other));
    EXPECT_TRUE(store_and_collect(heap, *large));
}

TEST_F(traced_hand_over, a_heap_may_be_detached_in_any_order) {
    std::array<std::optional<traced_heap>, 3> heaps;
    std::array<traced_root<wide>, 3> roots;
    for (std::size_t i = 0; i < heaps.size(); ++i) roots[i] = heaps[i].emplace().make<wide>();
    for (std::size_t left = 0; left < heaps.size(); ++left) {
        heaps[left]->detach();
        for (std::size_t i = 0; i < heaps.size(); ++i) {
            if (i == left) continue;
            const traced_root<slot> inside = traced_view<slot>(&(*roots[i])[far_place]);
            heaps[i]->collect();
            EXPECT_FALSE(inside->target);
        }
        heaps[left]->attach();
    }
}

TEST_F(traced_hand_over, a_detached_heap_may_be_destroyed) {
    auto heap = std::make_unique<traced_heap>();
    heap->detach();
    std::thread([&] {
        heap->attach();
        static_cast<void>(heap->make<tracked_node>(1));
        static_cast<void>(heap->make<wide>());
        heap->detach();
    }).join();
    heap.reset();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(traced_hand_over, a_heap_may_be_destroyed_in_another_thread) {
    auto heap = std::make_unique<traced_heap>();
    traced_root<tracked_node> root = heap->make<tracked_node>(1);
    heap->detach();
    std::thread([&] {
        heap->attach();
        heap.reset();
        EXPECT_FALSE(root);
    }).join();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(traced_hand_over, destructors_of_a_detached_heap_may_use_it) {
    traced_heap heap;
    static_cast<void>(heap.make<makes_others>(heap));
    heap.detach();
}

TEST_F(traced_hand_over, a_thread_that_ended_leaves_a_heap_that_another_attaches) {
    std::unique_ptr<traced_heap> heap;
    traced_root<tracked_node> root;
    std::thread([&] {
        heap = std::make_unique<traced_heap>();
        fill(*heap, root, 10);
        heap->detach();
    }).join();
    EXPECT_GT(heap->heap_bytes(), 0);  // may be asked
    heap->attach();
    EXPECT_EQ(length(root), 10);
}

TEST_F(traced_hand_over, a_thread_may_end_with_a_heap_of_its_own) {
    if (support::thread_locals_are_freed_first) GTEST_SKIP() << "thread_local objects are freed first";
    std::thread([] {
        thread_local std::unique_ptr<traced_heap> heap;
        heap = std::make_unique<traced_heap>();
        thread_local const traced_root<tracked_node> root = heap->make<tracked_node>(1);
    }).join();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(traced_hand_over, a_key_of_the_thread_may_own_a_heap) {
    if (support::thread_locals_are_freed_first) GTEST_SKIP() << "thread_local objects are freed first";
    std::unique_ptr<traced_heap> heap;
    const support::key_destructor last([&] { heap.reset(); });
    std::thread([&] {
        heap = std::make_unique<traced_heap>();
        static_cast<void>(heap->make<tracked_node>(1));
        last.arm();
    }).join();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(traced_hand_over, static_heaps_may_be_attached_or_not) {
    const auto use_static_heaps = [] {
        static traced_heap attached;
        static traced_heap detached;
        static traced_root<tracked_node> root;
        root = attached.make<tracked_node>(1);
        static_cast<void>(detached.make<tracked_node>(2));
        detached.detach();
        std::exit(0);
    };
    EXPECT_EXIT(use_static_heaps(), testing::ExitedWithCode(0), "");
}

TEST_F(traced_hand_over, what_objects_own_outside_of_the_heap_stays_known) {
    traced_heap heap;
    const traced_root<tracked_node> root = heap.make<tracked_node>(1);
    heap.external_bytes(root, 1'000'000);
    elsewhere(heap, [&] {
        EXPECT_GE(heap.external_bytes(), 1'000'000);
        heap.external_bytes(root, 0);
        EXPECT_LT(heap.external_bytes(), 1'000'000);
    });
}

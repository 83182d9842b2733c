#include <gtest/gtest.h>
#include <freehold/traced/traced_heap.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/managed_ptr.hpp>
#include <freehold/pointers/shared_ptr.hpp>

#include "support/effort.hpp"
#include "support/small_stack.hpp"
#include "support/tracked.hpp"
#include "support/tracked_node.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_heap_options;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_root;
using freehold::traced_view;
using support::tracked;
using support::tracked_node;

class traced_heap_test : public support::tracked_test {};

traced_heap_options collecting_always() {
    traced_heap_options options;
    options.collect_at_every_allocation = true;
    return options;
}

traced_heap_options with_young_bytes(std::size_t bytes) {
    traced_heap_options options;
    options.nursery_bytes = bytes;
    return options;
}

// Trivially destructible: not swept.
struct cell {
    int value;
    traced_ptr<cell> next;
};

int length(traced_view<const cell> list) {
    int count = 0;
    for (; list; list = list->next) ++count;
    return count;
}

struct base {
    virtual ~base() = default;
    void trace(auto& visit) const { visit(first); }
    traced_ptr<tracked_node> first;
};

struct other_base {
    virtual ~other_base() = default;
    long number = 7;
};

struct derived : other_base, base {
    void trace(auto& visit) const {
        base::trace(visit);
        visit(second);
    }
    traced_ptr<tracked_node> second;
};

struct trims {
    explicit trims(traced_heap& used) : heap(used) { heap.trim(); }
    trims(const trims&) = delete;
    trims& operator=(const trims&) = delete;
    ~trims() { heap.trim(); }
    void trace(auto& /*visit*/) const {}

    traced_heap& heap;
    int value = 7;
};

}  // namespace

static_assert(sizeof(traced_ptr<cell>) == sizeof(void*));
static_assert(sizeof(cell) == 2 * sizeof(void*));
static_assert(std::is_trivially_destructible_v<cell>);

TEST_F(traced_heap_test, reachable_objects_survive) {
    traced_heap heap;
    const traced_local<tracked_node> first = heap.make<tracked_node>(1);
    first->next = heap.make<tracked_node>(2);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 2);
    EXPECT_EQ(first->id, 1);
    EXPECT_EQ(first->next->id, 2);
}

TEST_F(traced_heap_test, unreachable_objects_are_destroyed) {
    traced_heap heap;
    static_cast<void>(heap.make<tracked_node>(1));
    const traced_local<tracked_node> kept = heap.make<tracked_node>(2);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 1);
    EXPECT_EQ(tracked::destroyed(), 1);
}

TEST_F(traced_heap_test, cycles_are_destroyed) {
    traced_heap heap;
    {
        const traced_local<tracked_node> first = heap.make<tracked_node>(1);
        const traced_local<tracked_node> second = heap.make<tracked_node>(2);
        first->next = second;
        second->next = first;
        first->many.push_back(first);
    }
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(traced_heap_test, destroying_the_heap_destroys_all_objects) {
    {
        traced_heap heap;
        const traced_root<tracked_node> kept = heap.make<tracked_node>(1);
        kept->next = heap.make<tracked_node>(2);
        static_cast<void>(heap.make<tracked_node>(3));
        heap.collect_young();
        kept->many.push_back(heap.make<tracked_node>(4));
    }
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(traced_heap_test, a_young_collection_destroys_only_young_objects) {
    traced_heap heap;
    traced_local<tracked_node> old = heap.make<tracked_node>(1);
    heap.collect_young();
    old = heap.make<tracked_node>(2);
    static_cast<void>(heap.make<tracked_node>(3));
    heap.collect_young();
    EXPECT_EQ(tracked::alive(), 2) << "the old one, and the one that is reachable";
    heap.collect();
    EXPECT_EQ(tracked::alive(), 1);
}

TEST_F(traced_heap_test, objects_stored_in_an_old_one_survive_young_collections) {
    for (int kind = 0; kind < tracked_node::kinds; ++kind) {
        traced_heap heap;
        const traced_local<tracked_node> old = heap.make<tracked_node>(1);
        heap.collect();
        old->set(kind, heap.make<tracked_node>(2));
        for (int i = 0; i < 3; ++i) heap.collect_young();
        EXPECT_EQ(tracked::alive(), 2) << "kind " << kind;
        old->set(kind, heap.make<tracked_node>(3));
        for (int i = 0; i < 3; ++i) heap.collect_young();
        EXPECT_GE(tracked::alive(), 2) << "kind " << kind;
        heap.collect();
        EXPECT_EQ(tracked::alive(), tracked_node::keeps_both(kind) ? 3 : 2) << "kind " << kind;
    }
}

TEST_F(traced_heap_test, elements_of_a_container_swapped_into_an_old_object_survive) {
    traced_heap heap;
    const traced_local<tracked_node> old = heap.make<tracked_node>(1);
    heap.collect();
    {
        const traced_local<tracked_node> young = heap.make<tracked_node>(2);
        young->many.push_back(heap.make<tracked_node>(3));
        old->many.swap(young->many);
    }
    heap.collect_young();
    EXPECT_EQ(old->many[0]->id, 3);
}

TEST_F(traced_heap_test, young_elements_removed_from_an_old_container_are_destroyed) {
    traced_heap heap;
    const traced_local<tracked_node> old = heap.make<tracked_node>(1);
    old->many.emplace_back();
    heap.collect();
    for (int i = 0; i < 100; ++i) old->many[0] = heap.make<tracked_node>(i);
    heap.collect_young();
    EXPECT_EQ(tracked::alive(), 2);
}

// More than the write barrier remembers one by one.
TEST_F(traced_heap_test, an_old_container_keeps_any_number_of_young_elements) {
    traced_heap heap(with_young_bytes(std::size_t{1} << 30));
    constexpr int many = 100'000;
    const traced_local<tracked_node> old = heap.make<tracked_node>(1);
    old->many.resize(many);
    heap.collect();
    for (traced_ptr<tracked_node>& each : old->many) each = heap.make<tracked_node>(2);
    heap.collect_young();
    EXPECT_EQ(tracked::alive(), many + 1);
}

// A few stores do not pay for tracing so many pointers, so stored objects stay for a while.
TEST_F(traced_heap_test, a_large_old_container_keeps_young_elements) {
    traced_heap heap;
    const traced_local<tracked_node> old = heap.make<tracked_node>(1);
    old->many.resize(100'000, old);
    for (int i = 0; i < 10; ++i) {
        heap.collect_young();
        const auto place = static_cast<std::size_t>(i * 1000);
        old->many[place] = heap.make<tracked_node>(i);
        heap.collect_young();
        EXPECT_EQ(old->many[place]->id, i);
        old->many[place] = heap.make<tracked_node>(i);
    }
    heap.collect();
    EXPECT_EQ(tracked::alive(), 11);
}

TEST_F(traced_heap_test, stores_into_neighbors_are_all_remembered) {
    for (const std::size_t distance : {1U, 2U, 3U, 7U, 8U, 9U}) {
        traced_heap heap;
        std::vector<traced_root<cell>> old;
        for (int i = 0; i < 1000; ++i) old.emplace_back(heap.make<cell>(i, nullptr));
        heap.collect();
        for (std::size_t i = 0; i < old.size(); i += distance) {
            for (int again = 0; again < 2; ++again) old[i]->next = heap.make<cell>(1, heap.make<cell>(2, nullptr));
        }
        heap.collect_young();
        for (int i = 0; i < 10'000; ++i) static_cast<void>(heap.make<cell>(0, nullptr));
        for (std::size_t i = 0; i < old.size(); i += distance) {
            ASSERT_EQ(old[i]->next->value, 1) << i << " of each " << distance;
            ASSERT_EQ(old[i]->next->next->value, 2) << i << " of each " << distance;
        }
    }
}

TEST_F(traced_heap_test, objects_far_from_each_other_remember_stores) {
    traced_heap heap;
    const traced_local<tracked_node> old = heap.make<tracked_node>(1);
    heap.collect();
    std::vector<traced_root<tracked_node>> filling;
    while (heap.heap_bytes() < 12 * 1024 * 1024) filling.emplace_back(heap.make<tracked_node>(0));
    old->next = heap.make<tracked_node>(2);
    heap.collect_young();
    EXPECT_EQ(old->next->id, 2);
    EXPECT_EQ(old->next->counted.alive(), static_cast<int>(filling.size()) + 2);
}

TEST_F(traced_heap_test, chains_of_any_length_are_marked_and_destroyed) {
    traced_heap heap;
    const int many = support::effort(10'000'000, 1'000'000);
    traced_local<cell> list;
    for (int i = 0; i < many; ++i) list = heap.make<cell>(i, list);
    heap.collect();
    EXPECT_EQ(length(list), many);
    list = nullptr;
    heap.collect();
    EXPECT_EQ(heap.live_bytes(), 0U);
    EXPECT_LE(heap.heap_bytes(), std::size_t{4} * 1024 * 1024) << "all chunks but one are given back";
}

TEST_F(traced_heap_test, trim_gives_back_all_memory_without_an_object) {
    traced_heap heap;
    traced_local<cell> list;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 500'000; ++i) list = heap.make<cell>(i, list);
        heap.trim();
        EXPECT_EQ(length(list), 500'000);
        EXPECT_GT(heap.heap_bytes(), std::size_t{4} * 1024 * 1024);
        list = nullptr;
        heap.trim();
        EXPECT_EQ(heap.heap_bytes(), 0U);
    }
    heap.trim();
}

TEST_F(traced_heap_test, trim_in_a_constructor_or_destructor_collects_nothing) {
    traced_heap heap;
    traced_local<trims> made = heap.make<trims>(heap);
    EXPECT_EQ(made->value, 7);
    made = nullptr;
    heap.trim();
    EXPECT_EQ(heap.heap_bytes(), 0U);
}

TEST_F(traced_heap_test, freed_cells_are_reused) {
    traced_heap heap(with_young_bytes(1'000'000));
    for (int i = 0; i < 10'000'000; ++i) static_cast<void>(heap.make<cell>(i, nullptr));
    EXPECT_LE(heap.heap_bytes(), std::size_t{4} * 1024 * 1024);
}

TEST_F(traced_heap_test, free_cells_between_old_objects_are_reused) {
    traced_heap heap(with_young_bytes(1'000'000));
    traced_local<cell> kept;
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 100'000; ++i) {
            const traced_local<cell> made = heap.make<cell>(i, nullptr);
            if (i % 1000 == 0) kept = heap.make<cell>(i, kept);
        }
        EXPECT_EQ(length(kept), (round + 1) * 100);
    }
    EXPECT_LE(heap.heap_bytes(), std::size_t{4} * 1024 * 1024);
}

TEST_F(traced_heap_test, many_types_share_the_heap) {
    traced_heap heap(collecting_always());
    const auto make_all = [&heap]<std::size_t... Size>(std::index_sequence<Size...>) {
        std::vector<traced_root<cell>> kept;
        ((kept.emplace_back(heap.make<cell>(static_cast<int>(Size), nullptr)),
          static_cast<void>(heap.make<std::array<char, Size * 7 + 1>>())),
         ...);
        return kept;
    };
    const std::vector<traced_root<cell>> kept = make_all(std::make_index_sequence<60>());
    for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i]->value, static_cast<int>(i));
}

TEST_F(traced_heap_test, objects_are_aligned) {
    struct alignas(256) wide {
        char text[3];
    };
    struct alignas(32768) wider {
        char text[3];
    };
    traced_heap heap;
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(heap.make<wide>().get()) % 256, 0U);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(heap.make<wider>().get()) % 32768, 0U);
    }
}

// Of 15 KiB, of several blocks, and larger than a chunk.
template <std::size_t Size>
struct large {
    tracked counted;
    std::array<traced_ptr<tracked_node>, Size> edges;
};

template <class Large>
void live_with_large_objects() {
    traced_heap heap;
    traced_local<Large> kept = heap.make<Large>();
    heap.collect();
    for (const std::size_t i : {std::size_t{0}, kept->edges.size() / 2, kept->edges.size() - 1}) {
        kept->edges[i] = heap.make<tracked_node>(static_cast<int>(i));
    }
    static_cast<void>(heap.make<Large>());
    heap.collect_young();
    EXPECT_EQ(tracked::alive(), 4);
    EXPECT_EQ(kept->edges.back()->id, static_cast<int>(kept->edges.size() - 1));
    kept = nullptr;
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
    EXPECT_LE(heap.heap_bytes(), std::size_t{4} * 1024 * 1024);
    kept = heap.make<Large>();
}

TEST_F(traced_heap_test, large_objects_are_collected) {
    live_with_large_objects<large<1900>>();
    live_with_large_objects<large<2100>>();
    live_with_large_objects<large<50'000>>();
    live_with_large_objects<large<1'000'000>>();
}

TEST_F(traced_heap_test, many_large_objects_are_collected) {
    traced_heap heap;
    traced_local<large<10'000>> kept;
    for (int i = 0; i < 2000; ++i) kept = heap.make<large<10'000>>();
    EXPECT_LE(heap.heap_bytes(), std::size_t{32} * 1024 * 1024);
}

TEST_F(traced_heap_test, a_pointer_to_a_base_keeps_the_whole_object) {
    struct holder {
        traced_ptr<base> held;
    };
    traced_heap heap;
    const traced_local<holder> kept = heap.make<holder>();
    {
        const traced_local<derived> made = heap.make<derived>();
        made->first = heap.make<tracked_node>(1);
        made->second = heap.make<tracked_node>(2);
        kept->held = made;
    }
    heap.collect();
    EXPECT_EQ(tracked::alive(), 2);
    kept->held = nullptr;
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(traced_heap_test, arguments_survive_a_collection_of_their_make) {
    traced_heap heap(collecting_always());
    const traced_local<cell> list =
        heap.make<cell>(3, heap.make_unrooted<cell>(2, heap.make_unrooted<cell>(1, traced_ptr<cell>())));
    EXPECT_EQ(list->next->next->value, 1);
}

struct builder {
    tracked counted;
    traced_ptr<tracked_node> left;
    traced_ptr<builder> right;

    builder(traced_heap& heap, int depth) : left(heap.make<tracked_node>(depth)) {
        if (depth > 0) right = heap.make<builder>(heap, depth - 1);
    }

    void trace(auto& visit) const { visit(left, right); }
};

TEST_F(traced_heap_test, a_constructor_may_allocate) {
    traced_heap heap(collecting_always());
    const traced_local<builder> made = heap.make<builder>(heap, 10);
    EXPECT_EQ(tracked::alive(), 22);
    EXPECT_EQ(made->right->right->left->id, 8);
}

struct maker {
    traced_heap* heap;
    int depth;
    traced_root<tracked_node>* saved;
    tracked counted;

    maker(traced_heap* of, int levels, traced_root<tracked_node>* place) : heap(of), depth(levels), saved(place) {}
    maker(const maker&) = delete;
    maker& operator=(const maker&) = delete;
    void trace(auto&) const {}
    ~maker() {
        heap->collect();  // does nothing
        *saved = heap->make<tracked_node>(depth);
        for (int i = 0; i < 100; ++i) static_cast<void>(heap->make<tracked_node>(i));
        if (depth > 0) static_cast<void>(heap->make<maker>(heap, depth - 1, saved));
    }
};

TEST_F(traced_heap_test, a_destructor_may_allocate) {
    traced_root<tracked_node> saved;
    for (const bool always : {false, true}) {
        traced_heap heap(always ? collecting_always() : traced_heap_options());
        static_cast<void>(heap.make<maker>(&heap, 3, &saved));
        heap.collect();
        ASSERT_TRUE(saved);
        EXPECT_EQ(saved->id, 3);
        heap.collect();
        EXPECT_EQ(saved->id, 2);
        heap.collect_young();
        EXPECT_EQ(saved->id, 1);
        for (int i = 0; i < 1000; ++i) static_cast<void>(heap.make<tracked_node>(i));
        heap.collect();
        EXPECT_EQ(saved->id, 0);
        saved.reset();
        heap.collect();
        EXPECT_EQ(tracked::alive(), 0);
    }
}

TEST_F(traced_heap_test, destructors_may_allocate_while_the_heap_is_destroyed) {
    traced_root<tracked_node> saved;
    {
        traced_heap heap;
        static_cast<void>(heap.make<maker>(&heap, 3, &saved));
    }
    EXPECT_FALSE(saved);
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(traced_heap_test, arguments_survive_a_finalizer_that_collects) {
    struct watched {
        int value;
    };
    struct leaf {
        ~leaf() { ++*destroyed; }
        int* destroyed;
    };
    struct holder {
        traced_ptr<leaf> held;
    };
    traced_heap_options options;
    options.collect_at_every_allocation = true;
    int destroyed = 0;  // outlives the heap
    traced_heap heap(options);
    traced_local<watched> object = heap.make<watched>(1);
    bool finalized = false;
    heap.add_finalizer(object, [&](watched&) {
        finalized = true;
        static_cast<void>(heap.make<watched>(2));
    });
    const freehold::traced_view<leaf> given = heap.make_unrooted<leaf>(&destroyed);
    object = nullptr;
    const traced_local<holder> made = heap.make<holder>(given);
    EXPECT_TRUE(finalized);
    EXPECT_EQ(destroyed, 0);
    EXPECT_EQ(made->held->destroyed, &destroyed);
}

TEST_F(traced_heap_test, a_finalizer_runs_once_with_all_that_the_object_leads_to) {
    traced_heap heap;
    int sum = 0;
    {
        const traced_local<tracked_node> made = heap.make<tracked_node>(1);
        made->next = heap.make<tracked_node>(2);
        heap.add_finalizer(made, [&sum](tracked_node& due) { sum += due.id + due.next->id; });
    }
    heap.collect();
    EXPECT_EQ(sum, 3);
    EXPECT_EQ(tracked::alive(), 2) << "intact until the next collection";
    heap.collect();
    EXPECT_EQ(sum, 3);
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(traced_heap_test, a_finalizer_may_save_the_object) {
    traced_heap heap;
    traced_root<tracked_node> saved;
    heap.add_finalizer(heap.make<tracked_node>(1),
                       [&saved](tracked_node& due) { saved = traced_view<tracked_node>(&due); });
    heap.collect();
    heap.collect();
    EXPECT_EQ(saved->id, 1);
    saved = nullptr;
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0) << "it is not finalized again";
}

TEST_F(traced_heap_test, a_finalizer_may_allocate) {
    traced_heap heap(collecting_always());
    int rounds = 0;
    struct finalizing {
        traced_heap* heap;
        int* rounds;
        void operator()(tracked_node& due) const {
            ++*rounds;
            const traced_local<tracked_node> made = heap->make<tracked_node>(due.id - 1);
            if (due.id > 0) heap->add_finalizer(made, *this);
        }
    };
    heap.add_finalizer(heap.make<tracked_node>(5), finalizing{&heap, &rounds});
    for (int i = 0; i < 10; ++i) heap.collect();
    EXPECT_EQ(rounds, 6);
}

TEST_F(traced_heap_test, an_old_object_is_finalized_by_a_full_collection) {
    traced_heap heap;
    int calls = 0;
    traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    heap.add_finalizer(kept, [&calls](tracked_node&) { ++calls; });
    heap.collect_young();
    kept = nullptr;
    heap.collect_young();
    EXPECT_EQ(calls, 0);
    heap.collect();
    EXPECT_EQ(calls, 1);
}

TEST_F(traced_heap_test, heaps_are_independent) {
    traced_heap one;
    traced_heap other;
    const traced_local<tracked_node> in_one = one.make<tracked_node>(1);
    const traced_local<tracked_node> in_other = other.make<tracked_node>(2);
    in_one->next = one.make<tracked_node>(3);
    in_other->next = other.make<tracked_node>(4);
    one.collect();
    EXPECT_EQ(tracked::alive(), 4);
    in_other->next = nullptr;
    one.collect();
    EXPECT_EQ(tracked::alive(), 4);
    other.collect();
    EXPECT_EQ(tracked::alive(), 3);
}

namespace {

traced_heap_options conservative(bool always) {
    traced_heap_options options;
    options.conservative_stack = true;
    options.collect_at_every_allocation = always;
    return options;
}

// These write their address to `place`, and throw.
struct refused {
    explicit refused(volatile std::uintptr_t& place) : many(3) {
        place = reinterpret_cast<std::uintptr_t>(this);
        throw std::runtime_error("refused");
    }
    void trace(auto& visit) const { visit(many); }
    std::vector<traced_ptr<cell>> many;
};

struct refused_trivially {
    refused_trivially(volatile std::uintptr_t& place, const traced_local<cell>& target) : next(target) {
        place = reinterpret_cast<std::uintptr_t>(this);
        throw std::runtime_error("refused");
    }
    void trace(auto& visit) const { visit(next); }
    traced_ptr<cell> next;
};

// Returns: a chain of `length` objects that only the stack refers to.
[[gnu::noinline]] tracked_node* chain_of_raw_pointers(traced_heap& heap, int length) {
    if (length == 0) return nullptr;
    tracked_node* const rest = chain_of_raw_pointers(heap, length - 1);
    return heap.make_unrooted<tracked_node>(length, tracked(), traced_view<tracked_node>(rest)).get();
}

}  // namespace

TEST_F(traced_heap_test, a_conservative_stack_needs_no_roots) {
    for (const bool always : {false, true}) {
        traced_heap heap(conservative(always));
        tracked_node* const first = chain_of_raw_pointers(heap, 50);
        heap.collect_young();
        heap.collect();
        for (int i = 0; i < 100; ++i) static_cast<void>(heap.make<tracked_node>(i));
        int length = 0;
        for (const tracked_node* each = first; each != nullptr; each = each->next.get()) {
            EXPECT_EQ(each->id, 50 - length++);
        }
        EXPECT_EQ(length, 50);
    }
}

TEST_F(traced_heap_test, a_conservative_stack_may_point_inside_objects) {
    struct wide {
        tracked counted;
        std::array<long, 1000> numbers{};
    };
    traced_heap heap(conservative(true));
    volatile long* const inside = &heap.make_unrooted<wide>()->numbers[500];
    volatile long* const in_large = &heap.make_unrooted<std::array<long, 100'000>>()->at(70'000);
    *inside = 1;
    *in_large = 2;
    const int many = support::effort(1000, 100);
    for (int i = 0; i < many; ++i) static_cast<void>(heap.make<wide>());
    EXPECT_EQ(*inside, 1);
    EXPECT_EQ(*in_large, 2);
    EXPECT_GE(tracked::alive(), 1);
}

// Words that are not addresses of objects: of free cells, of no cell, outside of the heap.
TEST_F(traced_heap_test, a_conservative_stack_may_hold_anything) {
    traced_heap heap(conservative(false));
    std::array<volatile std::uintptr_t, 1000> words{};
    const traced_local<cell> first = heap.make<cell>(0, nullptr);
    const auto base = reinterpret_cast<std::uintptr_t>(first.get());
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = base - base % 4194304 + i * 4199;
    for (int i = 0; i < 1'000'000; ++i) static_cast<void>(heap.make<cell>(i, first));
    heap.collect();
    EXPECT_LE(heap.live_bytes(), 1100 * std::max(sizeof(cell), std::size_t{16}))
        << "the words, and what else is on the stack";
    EXPECT_EQ(words[0], base - base % 4194304);
}

TEST_F(traced_heap_test, a_conservative_stack_may_point_to_an_object_whose_constructor_threw) {
    traced_heap heap(conservative(false));
    volatile std::uintptr_t first = 0;
    volatile std::uintptr_t second = 0;
    EXPECT_THROW(static_cast<void>(heap.make<refused>(first)), std::runtime_error);
    EXPECT_THROW(static_cast<void>(heap.make<refused_trivially>(second, heap.make<cell>(1, nullptr))),
                 std::runtime_error);
    EXPECT_NE(first, 0U);
    EXPECT_EQ(*reinterpret_cast<void* volatile*>(second), nullptr) << "nothing to trace";
    heap.collect_young();
    heap.collect();
}

TEST_F(traced_heap_test, destroying_a_conservative_heap_destroys_what_the_stack_refers_to) {
    for (int i = 0; i < 3; ++i) {
        traced_heap heap(conservative(false));
        static_cast<void>(chain_of_raw_pointers(heap, 10));
    }
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(traced_heap_test, objects_may_hold_counting_pointers) {
    struct holder {
        freehold::shared_ptr<tracked> shared = freehold::make_shared<tracked>();
        freehold::managed_ptr<tracked> managed = freehold::managed_ptr<tracked>(new tracked);
        traced_ptr<holder> next;
    };
    traced_heap heap;
    traced_local<holder> first = heap.make<holder>();
    first->next = heap.make<holder>();
    const freehold::shared_ptr<tracked> outside = first->next->shared;
    heap.collect();
    EXPECT_EQ(tracked::alive(), 4);
    first = nullptr;
    heap.collect();
    EXPECT_EQ(tracked::alive(), 1);
}

TEST_F(traced_heap_test, a_shared_ptr_may_hold_a_root) {
    traced_heap heap;
    auto root = freehold::make_shared<traced_root<tracked_node>>(heap.make<tracked_node>(7));
    const freehold::shared_ptr<tracked_node> object(root, root->get());
    root.reset();
    heap.collect();
    EXPECT_EQ(object->id, 7);
}

TEST_F(traced_heap_test, each_thread_may_have_a_heap) {
    const auto work = [] {
        traced_heap heap;
        traced_local<cell> list;
        for (int i = 0; i < 300'000; ++i) {
            list = i % 1000 == 0 ? heap.make<cell>(i, nullptr) : heap.make<cell>(i, list);
        }
        EXPECT_EQ(length(list), 1000);
    };
    std::thread other(work);
    work();
    other.join();
}

// The state of a traced heap after an allocation or a constructor throws.

#include <gtest/gtest.h>
#include <freehold/traced/traced_heap.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <vector>

#include <freehold/traced/ephemeron.hpp>
#include <freehold/traced/traced_root_vector.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>

#include "support/limited_new.hpp"
#include "support/opened_heap.hpp"
#include "support/tracked.hpp"

namespace {

struct traced_heap_tests;

}  // namespace

template struct support::opened_heap<&freehold::traced_heap::collector_, traced_heap_tests>;

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using support::tracked;

struct node {
    tracked counted;
    traced_ptr<node> next;
    std::vector<traced_ptr<node>> many;

    explicit node(bool refuse, const traced_local<node>& tail = {}) : next(tail) {
        if (refuse) throw std::invalid_argument("refused");
    }

    void trace(auto& visit) const { visit(next, many); }
};

class traced_heap_failure : public support::tracked_test {};

}  // namespace

TEST_F(traced_heap_failure, a_constructor_that_throws_leaves_nothing_behind) {
    freehold::traced_heap_options options;
    options.collect_at_every_allocation = true;
    traced_heap heap(options);
    traced_local<node> list;
    for (int i = 0; i < 100; ++i) {
        EXPECT_THROW(static_cast<void>(heap.make<node>(true, list)), std::invalid_argument);
        list = heap.make<node>(false, list);
    }
    heap.collect();
    EXPECT_EQ(tracked::alive(), 100);
}

TEST_F(traced_heap_failure, an_allocation_that_fails_changes_nothing) {
    traced_heap heap;
    const traced_local<node> kept = heap.make<node>(false);
    int failures = 0;
    for (int allowed = 0; allowed < 12; ++allowed) {
        struct other {
            char text[100'000];
        };
        try {
            const support::limited_new few(allowed);
            static_cast<void>(heap.make<other>());
        } catch (const std::bad_alloc&) {
            ++failures;
        }
    }
    traced_heap fresh;
    for (int allowed = 0; allowed < 12; ++allowed) {
        try {
            const support::limited_new few(allowed);
            static_cast<void>(fresh.make<node>(false));
        } catch (const std::bad_alloc&) {
            ++failures;
        }
    }
    EXPECT_GE(failures, 2);
    kept->next = heap.make<node>(false);
    heap.collect();
    fresh.collect();
    EXPECT_EQ(tracked::alive(), 2);
}

TEST_F(traced_heap_failure, a_large_object_without_memory_changes_nothing) {
    struct wide {
        std::array<traced_ptr<node>, 1'000'000> edges;
    };
    traced_heap heap;
    traced_local<wide> kept;
    int failures = 0;
    for (int allowed = 0; allowed < 12; ++allowed) {
        try {
            const support::limited_new few(allowed);
            kept = heap.make<wide>();
            kept->edges.back() = heap.make<node>(false);
        } catch (const std::bad_alloc&) {
            ++failures;
        }
        heap.collect();
    }
    EXPECT_GE(failures, 2);
    EXPECT_EQ(tracked::alive(), 1);
    EXPECT_LE(heap.heap_bytes(), std::size_t{16} * 1024 * 1024);
}

TEST_F(traced_heap_failure, marking_needs_no_memory) {
    traced_heap heap;
    const traced_local<node> root = heap.make<node>(false);
    traced_local<node> target;
    for (int i = 0; i < 5000; ++i) {
        target = heap.make<node>(false, target);
        root->many.emplace_back(heap.make<node>(false, target));
    }
    {
        const support::limited_new none(0);
        heap.collect();
    }
    EXPECT_EQ(tracked::alive(), 10'001);
}

TEST_F(traced_heap_failure, an_array_without_memory_changes_nothing) {
    traced_heap heap;
    traced_local<freehold::traced_array<traced_ptr<node>>> kept;
    int failures = 0;
    for (int allowed = 0; allowed < 12; ++allowed) {
        for (const std::size_t size : {std::size_t{10}, std::size_t{10'000}, std::size_t{1'000'000}}) {
            try {
                const support::limited_new few(allowed);
                kept = heap.make_array<traced_ptr<node>>(size);
                (*kept)[size - 1] = heap.make<node>(false);
            } catch (const std::bad_alloc&) {
                ++failures;
            }
            heap.collect();
        }
    }
    EXPECT_GE(failures, 4);
    EXPECT_EQ(tracked::alive(), 1);
    EXPECT_LE(heap.heap_bytes(), std::size_t{24} * 1024 * 1024);
}

TEST_F(traced_heap_failure, a_store_far_in_an_array_needs_no_memory) {
    traced_heap heap;
    const auto root = heap.make_array<traced_ptr<node>>(2'000'000);
    heap.collect();
    {
        const traced_local<node> young = heap.make<node>(false);
        const support::limited_new none(0);
        for (std::size_t i = 0; i < root->size(); i += 5) (*root)[i] = young;
    }
    heap.collect_young();
    EXPECT_EQ(tracked::alive(), 1);
}

TEST_F(traced_heap_failure, a_root_vector_without_memory_is_as_it_was) {
    traced_heap heap;
    freehold::traced_root_vector<node> roots(heap);
    int failures = 0;
    for (int i = 0; i < 3000; ++i) {
        const traced_local<node> added = heap.make<node>(false);
        const std::size_t size = roots.size();
        try {
            const support::limited_new none(0);
            roots.push_back(added);
        } catch (const std::bad_alloc&) {
            ++failures;
            ASSERT_EQ(roots.size(), size);
            roots.push_back(added);
        }
    }
    heap.collect();
    EXPECT_GE(failures, 1);
    EXPECT_EQ(tracked::alive(), 3000);
}

TEST_F(traced_heap_failure, ephemerons_need_no_memory) {
    traced_heap heap;
    const traced_local<node> first = heap.make<node>(false);
    std::vector<freehold::ephemeron<node, node>> chain(200);
    traced_local<node> key = first;
    for (freehold::ephemeron<node, node>& each : chain) {
        const traced_local<node> value = heap.make<node>(false);
        each = {key, value};
        key = value;
    }
    key = nullptr;
    for (int allowed = 0; allowed < 4; ++allowed) {
        const support::limited_new few(allowed);
        heap.collect();
    }
    EXPECT_EQ(tracked::alive(), 201);
}

TEST_F(traced_heap_failure, a_store_needs_no_memory) {
    traced_heap heap;
    const traced_local<node> root = heap.make<node>(false);
    for (int i = 0; i < 5000; ++i) root->many.emplace_back(heap.make<node>(false));
    heap.collect();
    {
        const traced_local<node> young = heap.make<node>(false);
        const support::limited_new none(0);
        for (const traced_ptr<node>& each : root->many) each->next = young;
    }
    heap.collect_young();
    EXPECT_EQ(tracked::alive(), 5002);
}

// The card of a store that could not be listed is clean, so that the next store there is listed.
TEST_F(traced_heap_failure, a_store_after_one_without_memory_is_remembered) {
    struct holder_of_one {
        traced_ptr<tracked> held;
    };
    traced_heap heap;
    const traced_local<holder_of_one> old = heap.make<holder_of_one>();
    heap.collect();
    {
        const traced_local<tracked> young = heap.make<tracked>();
        const support::limited_new none(0);
        old->held = young;
    }
    heap.collect();
    old->held = heap.make<tracked>();
    heap.collect_young();
    EXPECT_EQ(tracked::destroyed(), 0);
    heap.collect();
    EXPECT_EQ(tracked::alive(), 1);
}

TEST_F(traced_heap_failure, a_store_into_a_container_needs_no_memory) {
    traced_heap heap;
    const traced_local<node> root = heap.make<node>(false);
    root->many.resize(5000);
    heap.collect();
    std::vector<freehold::traced_root<node>> young(5000);
    for (auto& each : young) each = heap.make<node>(false);
    {
        const support::limited_new none(0);
        std::ranges::copy(young, root->many.begin());
    }
    young.clear();
    heap.collect_young();
    EXPECT_EQ(tracked::alive(), 5001);
}

namespace {

// Only the last step of a cycle finds what was moved from one holder to another.
struct joint {
    traced_ptr<tracked> leaf;
    traced_ptr<joint> next;
};

struct holder {
    std::vector<traced_ptr<joint>> all;
};

}  // namespace

TEST_F(traced_heap_failure, a_cycle_that_ends_without_memory_for_its_list_keeps_all) {
    constexpr int many = 1000;
    freehold::traced_heap_options options;
    options.pause_budget = 1;
    traced_heap heap(options);
    const traced_local<holder> black = heap.make<holder>();
    traced_local<joint> list;  // so that the cycle does not end at once
    for (int i = 0; i < 20; ++i) list = heap.make<joint>(nullptr, list);
    traced_local<holder> white = heap.make<holder>();
    {
        const traced_heap::deferral all_at_once(heap);
        for (int i = 0; i < many; ++i) white->all.emplace_back(heap.make<joint>(heap.make<tracked>(), nullptr));
    }
    heap.collect_young();
    heap.collect_young();
    const freehold::traced_weak_ptr<holder> weak = white;
    white = nullptr;
    freehold::detail::traced_collector& collector = support::collector_of(heap);
    collector.begin_cycle();
    heap.collect_young();
    collector.step(1000);
    black->all.swap(weak.lock()->all);
    {
        const support::limited_new none(0);
        heap.collect_young();
    }
    EXPECT_TRUE(support::finish_cycle(heap));
    EXPECT_EQ(tracked::alive(), many);
}

TEST_F(traced_heap_failure, a_helper_without_memory_for_its_lists_loses_nothing) {
    constexpr int many = 5000;
    freehold::traced_heap_options options;
    options.helper = true;
    options.pause_budget = 64;
    traced_heap heap(options);
    const auto all = heap.make_array<traced_ptr<joint>>(many);
    for (int i = 0; i < many; ++i)
        (*all)[static_cast<std::size_t>(i)] = heap.make<joint>(heap.make<tracked>(), nullptr);
    for (int allowed = 0; allowed < 30; ++allowed) {
        heap.collect_young();
        support::collector_of(heap).begin_cycle();
        {
            const support::limited_new few(allowed);
            for (int i = 0; i < 20; ++i) {
                heap.collect_young();
                std::swap((*all)[static_cast<std::size_t>(i)], (*all)[static_cast<std::size_t>(many - 1 - i)]);
            }
        }
        ASSERT_TRUE(support::finish_cycle(heap));
        ASSERT_EQ(tracked::alive(), many);
    }
}

// Objects of a shared_traced_heap in one session.

#include <gtest/gtest.h>
#include <freehold/traced/shared_traced_heap.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <freehold/traced/ephemeron.hpp>
#include <freehold/traced/traced_root.hpp>
#include <freehold/traced/traced_root_vector.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>

#include "support/tracked.hpp"
#include "support/tracked_node.hpp"

namespace {

using freehold::shared_traced_heap;
using freehold::traced_collection;
using freehold::traced_heap_options;
using freehold::traced_local;
using freehold::traced_pause;
using freehold::traced_ptr;
using freehold::traced_root;
using freehold::traced_view;
using freehold::traced_weak_ptr;
using support::tracked;
using support::tracked_node;

class shared_traced_heap_objects : public support::tracked_test {
protected:
    void TearDown() override {
        heap.collect();
        tracked_test::TearDown();
    }

    [[nodiscard]] int alive() {
        heap.collect();
        return tracked::alive();
    }

    shared_traced_heap heap;
    shared_traced_heap::session session{heap};
};

struct shared_buffer_owner {
    tracked counted;
    std::vector<char> buffer;
};

struct shared_refusal {
    tracked counted;
    explicit shared_refusal(bool refuse) {
        if (refuse) throw std::invalid_argument("refused");
    }
    void trace(auto&) const {}
};

// Allocates in its constructor.
struct shared_parent {
    explicit shared_parent(shared_traced_heap& heap)
        : child(heap.make<tracked_node>(1)), array(heap.make_array<int>(9)) {}
    void trace(auto& visit) const { visit(child, array); }
    traced_ptr<tracked_node> child;
    traced_ptr<freehold::traced_array<int>> array;
};

struct shared_parents {
    void trace(auto& visit) const { visit(all); }
    std::vector<shared_parent> all;
};

}  // namespace

static_assert(!std::is_copy_constructible_v<shared_traced_heap>);
static_assert(!std::is_copy_constructible_v<shared_traced_heap::session>);

TEST_F(shared_traced_heap_objects, what_a_local_leads_to_survives) {
    traced_local<tracked_node> list;
    for (int i = 0; i < 1000; ++i) {
        const traced_local<tracked_node> made = heap.make<tracked_node>(i);
        made->next = list;
        list = made;
    }
    EXPECT_EQ(alive(), 1000);
    list = list->next->next;
    EXPECT_EQ(alive(), 998);
    list = nullptr;
    EXPECT_EQ(alive(), 0);
}

TEST_F(shared_traced_heap_objects, cycles_die) {
    const traced_local<tracked_node> kept = heap.make<tracked_node>(1);
    {
        const traced_local<tracked_node> lost = heap.make<tracked_node>(2);
        lost->next = lost;
        lost->many.emplace_back(kept);
    }
    EXPECT_EQ(alive(), 1);
}

TEST_F(shared_traced_heap_objects, arguments_of_make_survive) {
    struct pair {
        traced_ptr<tracked_node> a;
        traced_ptr<tracked_node> b;
    };
    const traced_local<pair> made = heap.make<pair>(heap.make<tracked_node>(1), heap.make<tracked_node>(2));
    EXPECT_EQ(alive(), 2);
    EXPECT_EQ(made->a->id + made->b->id, 3);
}

TEST_F(shared_traced_heap_objects, edges_of_all_kinds_survive_young_collections) {
    const traced_local<tracked_node> old = heap.make<tracked_node>(0);
    heap.collect();
    for (int kind = 0; kind < tracked_node::kinds; ++kind) {
        const traced_local<tracked_node> target = heap.make<tracked_node>(kind);
        old->set(kind, target);
    }
    heap.collect_young();
    EXPECT_EQ(tracked::alive(), 1 + tracked_node::kinds);
    EXPECT_EQ(alive(), 1 + tracked_node::kinds);
}

TEST_F(shared_traced_heap_objects, arrays_of_all_sizes_survive) {
    std::vector<traced_root<freehold::traced_array<traced_ptr<tracked_node>>>> arrays;
    for (const std::size_t size : {1U, 10U, 1000U, 2048U, 2049U, 100'000U, 400'000U}) {
        arrays.emplace_back(heap.make_array<traced_ptr<tracked_node>>(size));
        (*arrays.back())[size - 1] = heap.make<tracked_node>(static_cast<int>(size));
    }
    EXPECT_EQ(alive(), 7);
    for (const auto& each : arrays) EXPECT_EQ((*each)[each->size() - 1]->id, static_cast<int>(each->size()));
    arrays.clear();
    EXPECT_EQ(alive(), 0);
}

TEST_F(shared_traced_heap_objects, large_objects_survive_and_die) {
    struct large {
        tracked counted;
        std::array<char, 100'000> rest;
    };
    const traced_local<large> kept = heap.make<large>();
    for (int i = 0; i < 20; ++i) static_cast<void>(heap.make<large>());
    EXPECT_EQ(alive(), 1);
}

TEST_F(shared_traced_heap_objects, an_object_beyond_a_chunk_is_made_and_dies) {
    const std::size_t before = heap.heap_bytes();
    const traced_local<tracked_node> node = heap.make<tracked_node>(1);
    node->children.resize(1'000'000);
    node->children[999'999] = heap.make<tracked_node>(2);
    EXPECT_EQ(alive(), 2);
    EXPECT_GT(heap.heap_bytes(), before + std::size_t{4 << 20});
    node->children.clear();
    node->children.shrink_to_fit();
    EXPECT_EQ(alive(), 1);
    EXPECT_LE(heap.heap_bytes(), before + std::size_t{4 << 20});
}

TEST_F(shared_traced_heap_objects, a_constructor_allocates) {
    const traced_local<shared_parent> made = heap.make<shared_parent>(heap);
    EXPECT_EQ(alive(), 1);
    EXPECT_EQ(made->child->id, 1);
    EXPECT_EQ(made->array->size(), 9U);
}

TEST_F(shared_traced_heap_objects, a_constructor_that_throws_leaves_nothing) {
    EXPECT_THROW(static_cast<void>(heap.make<shared_refusal>(true)), std::invalid_argument);
    const traced_local<shared_refusal> made = heap.make<shared_refusal>(false);
    EXPECT_EQ(alive(), 1);
}

TEST_F(shared_traced_heap_objects, emplace_back_makes_elements_that_allocate) {
    const traced_local<shared_parents> its = heap.make<shared_parents>();
    for (int i = 0; i < 2000; ++i) EXPECT_EQ(heap.emplace_back(its->all, heap).child->id, 1);
    EXPECT_EQ(alive(), 2000);
}

TEST_F(shared_traced_heap_objects, no_collection_comes_during_a_deferral) {
    {
        const shared_traced_heap::deferral change(heap);
        static_cast<void>(heap.make<tracked_node>());
        EXPECT_EQ(alive(), 1);
    }
    EXPECT_EQ(alive(), 0);
}

TEST_F(shared_traced_heap_objects, a_weak_ptr_expires) {
    traced_root<tracked_node> root = heap.make<tracked_node>(1);
    const traced_weak_ptr<tracked_node> weak = root;
    const traced_weak_ptr<tracked_node> copy = weak;
    EXPECT_EQ(alive(), 1);
    EXPECT_EQ(weak.lock()->id, 1);
    root.reset();
    EXPECT_EQ(alive(), 0);
    EXPECT_TRUE(weak.expired() && copy.expired());
}

TEST_F(shared_traced_heap_objects, an_ephemeron_keeps_its_value_while_the_key_lives) {
    traced_root<tracked_node> key = heap.make<tracked_node>(1);
    freehold::ephemeron<tracked_node, tracked_node> entry;
    {
        const traced_local<tracked_node> value = heap.make<tracked_node>(2);
        value->next = key;
        entry = {key, value};
    }
    EXPECT_EQ(alive(), 2);
    EXPECT_EQ(entry.value()->id, 2);
    key.reset();
    EXPECT_EQ(alive(), 0);
    EXPECT_TRUE(entry.expired());
}

TEST_F(shared_traced_heap_objects, a_root_vector_keeps_its_elements) {
    freehold::traced_root_vector<tracked_node> roots(heap);
    for (int i = 0; i < 100; ++i) roots.emplace_back(i);
    freehold::traced_root_vector<tracked_node> copy = roots;
    EXPECT_EQ(alive(), 100);
    roots.clear();
    copy.pop_back();
    EXPECT_EQ(alive(), 99);
    EXPECT_EQ(copy[98]->id, 98);
}

TEST_F(shared_traced_heap_objects, external_bytes_are_told) {
    const traced_local<tracked_node> owner = heap.make<tracked_node>();
    heap.external_bytes(owner, 1000);
    EXPECT_EQ(heap.external_bytes(), 1000U);
    heap.external_bytes(owner.get(), 10);
    EXPECT_EQ(heap.external_bytes(), 10U);
    {
        const traced_local<tracked_node> dying = heap.make<tracked_node>();
        heap.external_bytes(dying, 5);
    }
    heap.collect();
    EXPECT_EQ(heap.external_bytes(), 10U);
}

TEST_F(shared_traced_heap_objects, external_bytes_make_the_next_allocation_collect) {
    static_cast<void>(heap.make<tracked_node>());
    const traced_local<tracked_node> owner = heap.make<tracked_node>();
    heap.external_bytes(owner, std::size_t{1} << 30);
    static_cast<void>(heap.make<tracked_node>());
    EXPECT_EQ(tracked::destroyed(), 1);
}

TEST_F(shared_traced_heap_objects, old_objects_are_asked_what_they_own) {
    const traced_local<shared_buffer_owner> owner = heap.make<shared_buffer_owner>();
    owner->buffer.resize(100'000);
    heap.collect();
    EXPECT_GE(heap.external_bytes(), 100'000U);
}

TEST_F(shared_traced_heap_objects, trim_gives_back_empty_chunks) {
    std::vector<traced_root<freehold::traced_array<int>>> all;
    for (int i = 0; i < 100; ++i) all.emplace_back(heap.make_array<int>(100'000));
    all.clear();
    EXPECT_GT(heap.heap_bytes(), std::size_t{40} << 20);
    heap.trim();
    EXPECT_EQ(heap.heap_bytes(), 0U);
}

TEST_F(shared_traced_heap_objects, live_bytes_are_those_that_survived) {
    const auto kept = heap.make_array<char>(1000);
    static_cast<void>(heap.make_array<char>(1000));
    heap.collect();
    EXPECT_GE(heap.live_bytes(), 1000U);
    EXPECT_LT(heap.live_bytes(), 2000U);
}

TEST(shared_traced_heap_options, collections_are_reported) {
    std::vector<traced_pause> kinds;
    shared_traced_heap heap({.on_collection = [&](const traced_collection& each) { kinds.push_back(each.kind); }});
    const shared_traced_heap::session session(heap);
    heap.collect();
    heap.collect_young();
    heap.trim();
    EXPECT_EQ(kinds, (std::vector{traced_pause::full, traced_pause::young, traced_pause::full}));
}

TEST(shared_traced_heap_options, a_limit_is_kept) {
    shared_traced_heap heap({.limit_bytes = std::size_t{16} << 20});
    const shared_traced_heap::session session(heap);
    for (int i = 0; i < 100; ++i) static_cast<void>(heap.make_array<char>(1'000'000));
    std::vector<traced_root<freehold::traced_array<char>>> kept;
    const auto fill = [&] {
        for (int i = 0; i < 100; ++i) kept.emplace_back(heap.make_array<char>(1'000'000));
    };
    EXPECT_THROW(fill(), std::bad_alloc);
    EXPECT_LE(heap.heap_bytes(), std::size_t{16} << 20);
    kept.clear();
    EXPECT_NO_THROW(static_cast<void>(heap.make_array<char>(1'000'000)));
}

TEST(shared_traced_heap_options, every_allocation_collects) {
    shared_traced_heap heap({.collect_at_every_allocation = true});
    const shared_traced_heap::session session(heap);
    traced_weak_ptr<tracked_node> weak = heap.make<tracked_node>();
    EXPECT_FALSE(weak.expired());
    static_cast<void>(heap.make<tracked_node>());
    EXPECT_TRUE(weak.expired());
}

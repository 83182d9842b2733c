#include <gtest/gtest.h>
#include <freehold/traced/traced_array.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <freehold/traced/traced_heap.hpp>

#include "support/tracked_node.hpp"

namespace {

using freehold::traced_array;
using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using support::tracked;
using support::tracked_node;

using edges = traced_array<traced_ptr<tracked_node>>;

class traced_array_test : public support::tracked_test {
protected:
    traced_heap heap;

    void TearDown() override {
        heap.collect();
        support::tracked_test::TearDown();
    }
};

// Sizes up to that of a cell, beyond it, beyond a chunk, and beyond the part of a chunk that has cards in its header.
constexpr std::size_t sizes[] = {0, 1, 2, 7, 100, 2045, 2046, 2047, 3000, 70'000, 500'000, 2'000'000};

// The number of elements that can be made from it.
struct countdown {
    int* left;
};

struct from_countdown {
    explicit from_countdown(const countdown& from) {
        if (--*from.left < 0) throw std::runtime_error("no more");
    }
    void trace(auto&) const {}
    tracked counted = {};
};

struct alignas(64) aligned {
    traced_ptr<tracked_node> edge = {};
};

struct with_vector {
    std::vector<traced_ptr<tracked_node>> many = {};
};

}  // namespace

TEST_F(traced_array_test, its_elements_are_initialized) {
    for (const std::size_t size : sizes) {
        const traced_local<edges> pointers = heap.make_array<traced_ptr<tracked_node>>(size);
        ASSERT_EQ(pointers->size(), size);
        ASSERT_EQ(pointers->empty(), size == 0);
        for (const auto& each : *pointers) ASSERT_EQ(each, nullptr);
        const auto numbers = heap.make_array<std::uint8_t>(size);
        for (std::uint8_t& each : *numbers) {
            ASSERT_EQ(each, 0);
            each = 1;
        }
        const auto sevens = heap.make_array<long>(size, 7);
        for (const long each : *sevens) ASSERT_EQ(each, 7);
    }
}

TEST_F(traced_array_test, keeps_alive_what_its_elements_point_to) {
    for (const std::size_t size : sizes) {
        if (size == 0) continue;
        const traced_local<edges> kept = heap.make_array<traced_ptr<tracked_node>>(size);
        (*kept)[0] = heap.make<tracked_node>(1);
        (*kept)[size / 2] = heap.make<tracked_node>(2);
        (*kept)[size - 1] = heap.make<tracked_node>(3);
        heap.collect_young();
        ASSERT_EQ((*kept)[size - 1]->id, 3) << size;
        heap.collect();
        ASSERT_EQ((*kept)[size - 1]->id, 3) << size;
        ASSERT_EQ(tracked::alive(), size < 3 ? static_cast<int>(size) : 3) << size;
        (*kept)[size - 1] = nullptr;
        heap.collect();
        ASSERT_EQ(tracked::alive(), size < 3 ? static_cast<int>(size) - 1 : 2) << size;
    }
}

TEST_F(traced_array_test, one_value_is_copied_to_all_elements) {
    const traced_local<tracked_node> node = heap.make<tracked_node>(1);
    for (const std::size_t size : sizes) {
        const traced_local<edges> all = heap.make_array<traced_ptr<tracked_node>>(size, node);
        for (const auto& each : *all) ASSERT_EQ(each, node);
    }
}

TEST_F(traced_array_test, a_value_survives_the_collection_that_making_the_array_causes) {
    freehold::traced_heap_options options;
    options.collect_at_every_allocation = true;
    traced_heap often(options);
    const auto all = often.make_array<traced_ptr<tracked_node>>(3, often.make_unrooted<tracked_node>(1));
    EXPECT_EQ((*all)[2]->id, 1);
}

TEST_F(traced_array_test, an_old_one_may_be_given_young_objects) {
    std::mt19937 random(1);
    for (const std::size_t size : sizes) {
        if (size == 0) continue;
        const traced_local<edges> old = heap.make_array<traced_ptr<tracked_node>>(size);
        heap.collect();
        std::vector<std::size_t> places = {0, size - 1, size / 2, size / 2};
        for (int i = 0; i < 200; ++i) places.push_back(random() % size);
        for (int round = 0; round < 3; ++round) {
            for (const std::size_t place : places) (*old)[place] = heap.make<tracked_node>(static_cast<int>(place));
            heap.collect_young();
            for (const std::size_t place : places) ASSERT_EQ((*old)[place]->id, static_cast<int>(place)) << size;
        }
    }
}

TEST_F(traced_array_test, its_elements_are_destroyed) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{1000}, std::size_t{10'000}}) {
        traced_local<traced_array<tracked>> kept = heap.make_array<tracked>(size);
        heap.collect();
        ASSERT_EQ(tracked::alive(), static_cast<int>(size));
        kept = nullptr;
        heap.collect();
        ASSERT_EQ(tracked::alive(), 0);
    }
}

TEST_F(traced_array_test, elements_that_were_made_are_destroyed_if_another_one_throws) {
    for (const std::size_t size : {std::size_t{10}, std::size_t{10'000}}) {
        int left = 5;
        EXPECT_THROW(static_cast<void>(heap.make_array<from_countdown>(size, countdown{&left})), std::runtime_error);
        EXPECT_EQ(tracked::alive(), 0);
        heap.collect();
    }
}

TEST_F(traced_array_test, a_length_that_overflows_throws) {
    constexpr std::size_t most = ~std::size_t{0};
    for (const std::size_t size : {most, most / sizeof(long), (most >> 8) / sizeof(long) + 2}) {
        EXPECT_THROW(static_cast<void>(heap.make_array<long>(size)), std::bad_array_new_length) << size;
    }
    if (sizeof(void*) == 4) return;  // there may be memory for all that does not overflow
    EXPECT_THROW(static_cast<void>(heap.make_array<long>(most >> 14)), std::bad_alloc);
}

TEST_F(traced_array_test, its_elements_are_aligned) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
        const auto all = heap.make_array<aligned>(size);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all->data()) % alignof(aligned), 0U);
        (*all)[size - 1].edge = heap.make<tracked_node>(1);
        heap.collect_young();
        heap.collect();
        EXPECT_EQ((*all)[size - 1].edge->id, 1);
    }
}

TEST_F(traced_array_test, its_elements_may_be_containers) {
    for (const std::size_t size : {std::size_t{3}, std::size_t{5000}}) {
        const auto all = heap.make_array<with_vector>(size);
        heap.collect();
        (*all)[size - 1].many.push_back(heap.make<tracked_node>(1));
        heap.collect_young();
        EXPECT_EQ((*all)[size - 1].many[0]->id, 1);
        heap.collect();
        EXPECT_EQ(tracked::alive(), 1);
        (*all)[size - 1].many.clear();
        heap.collect();
        EXPECT_EQ(tracked::alive(), 0);
    }
}

TEST_F(traced_array_test, may_be_a_member) {
    struct graph {
        traced_ptr<edges> nodes;
    };
    const traced_local<graph> all = heap.make<graph>(heap.make_array<traced_ptr<tracked_node>>(10'000));
    (*all->nodes)[9999] = heap.make<tracked_node>(1);
    heap.collect_young();
    heap.collect();
    EXPECT_EQ((*all->nodes)[9999]->id, 1);
    all->nodes = nullptr;
    heap.collect();
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(traced_array_test, what_its_elements_own_outside_of_the_heap_counts) {
    const auto small = heap.make_array<std::string>(4, std::string(1000, 'x'));
    const auto large = heap.make_array<std::string>(4000, std::string(1000, 'x'));
    heap.collect();
    EXPECT_GE(heap.external_bytes(), std::size_t{4'000'000});
    EXPECT_LE(heap.external_bytes(), std::size_t{8'000'000});
}

TEST_F(traced_array_test, dies_with_its_memory) {
    for (int i = 0; i < 40; ++i) static_cast<void>(heap.make_array<long>(4'000'000));
    heap.collect();
    EXPECT_LE(heap.heap_bytes(), std::size_t{8} << 20);
}

namespace {

traced_heap* heap_of_elements = nullptr;

struct storing_element {
    storing_element() = default;
    storing_element(const storing_element&) = default;
    storing_element& operator=(const storing_element&) = default;
    ~storing_element() { stored = heap_of_elements->make<long>(7); }
    void trace(auto& visit) const { visit(stored); }

    traced_ptr<long> stored;
};

}  // namespace

// The type of a large array is in the memory of the array.
TEST(traced_array, a_destructor_may_store_in_its_array) {
    traced_heap used;
    heap_of_elements = &used;
    static_cast<void>(used.make_array<storing_element>(10'000));
    used.collect();
    used.collect_young();
    EXPECT_GT(used.heap_bytes(), 0U);
}

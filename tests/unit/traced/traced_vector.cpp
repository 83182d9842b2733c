// What a traced_vector has beside what all sequences have: contracts/traced_sequence, contracts/traced_sequence_in_use.

#include <gtest/gtest.h>
#include <freehold/traced/traced_vector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_weak_ptr.hpp>

#include "support/tracked_node.hpp"

namespace {

using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using freehold::traced_vector;
using support::tracked;
using support::tracked_node;

struct numbers {
    traced_vector<int> all = {};
};

struct tree {
    std::string name = {};
    traced_vector<tree> parts = {};  // of a type that is not complete yet
    traced_ptr<tracked_node> node = {};
};

struct in_other_members {
    std::optional<traced_vector<traced_ptr<tracked_node>>> maybe = {};
    std::pair<int, traced_vector<traced_ptr<tracked_node>>> pair = {};
    traced_vector<traced_ptr<tracked_node>> array[2] = {};
};

struct filled {
    traced_vector<traced_ptr<tracked_node>> all;
    explicit filled(traced_heap& from) {
        for (int i = 0; i < 100; ++i) all.push_back(from.make<tracked_node>(i));
    }
    void trace(auto& visit) const { visit(all); }
};

class traced_vector_test : public support::tracked_test {
protected:
    traced_heap heap;

    int alive() {
        heap.collect();
        return tracked::alive();
    }
};

static_assert(sizeof(traced_vector<std::string>) == sizeof(void*));
static_assert(std::is_trivially_destructible_v<traced_vector<std::string>>);
static_assert(std::is_nothrow_move_constructible_v<traced_vector<std::string>>);
static_assert(std::is_nothrow_swappable_v<traced_vector<std::string>>);
static_assert(std::ranges::contiguous_range<traced_vector<std::string>>);

}  // namespace

TEST_F(traced_vector_test, is_empty_and_without_memory_at_first) {
    const auto its = heap.make<numbers>();
    EXPECT_TRUE(its->all.empty());
    EXPECT_EQ(its->all.capacity(), 0U);
    EXPECT_EQ(its->all.data(), nullptr);
    EXPECT_EQ(its->all.begin(), its->all.end());
    EXPECT_GT(its->all.max_size(), std::size_t{1} << 20);
    its->all.shrink_to_fit();
    its->all.clear();
    EXPECT_EQ(its->all, traced_vector<int>());
}

TEST_F(traced_vector_test, reserves) {
    const auto its = heap.make<numbers>();
    its->all.reserve(1000);
    EXPECT_GE(its->all.capacity(), 1000U);
    const int* const data = its->all.data();
    for (int i = 0; i < 1000; ++i) its->all.push_back(i);
    EXPECT_EQ(its->all.data(), data);
    its->all.reserve(10);
    EXPECT_EQ(its->all.data(), data);
    its->all.resize(20);
    its->all.shrink_to_fit();
    EXPECT_LT(its->all.capacity(), 30U);
    EXPECT_EQ(its->all[19], 19);
    its->all.clear();
    its->all.shrink_to_fit();
    EXPECT_EQ(its->all.capacity(), 0U);
}

TEST_F(traced_vector_test, iterators_move_with_the_elements) {
    const auto its = heap.make<numbers>();
    const auto other = heap.make<numbers>();
    its->all = {1, 2, 3};
    const auto second = its->all.begin() + 1;
    other->all = std::move(its->all);
    EXPECT_EQ(second, other->all.begin() + 1);
    other->all.swap(its->all);
    EXPECT_EQ(*second, 2);
}

TEST_F(traced_vector_test, works_with_algorithms) {
    const auto its = heap.make<numbers>();
    its->all.resize(1000);
    std::iota(its->all.begin(), its->all.end(), 0);
    std::ranges::sort(its->all, std::greater<>());
    EXPECT_EQ(its->all.front(), 999);
    std::copy_n(its->all.begin(), 3, std::back_inserter(its->all));
    EXPECT_EQ(its->all.back(), 997);
    EXPECT_EQ(std::accumulate(its->all.rbegin(), its->all.rend(), 0), 999 * 1000 / 2 + 999 + 998 + 997);
}

TEST_F(traced_vector_test, holds_bools) {
    struct flags {
        traced_vector<bool> all = {};
    };
    const auto its = heap.make<flags>();
    its->all.resize(100, true);
    bool& third = its->all[3];
    third = false;
    EXPECT_EQ(std::ranges::count(its->all, true), 99);
}

TEST_F(traced_vector_test, holds_trees) {
    const auto root = heap.make<tree>();
    for (int i = 0; i < 10; ++i) {
        root->parts.push_back({.name = std::string(50, 'x')});
        for (int j = 0; j < 100; ++j) root->parts.back().parts.push_back({.node = heap.make<tracked_node>(j)});
    }
    EXPECT_EQ(alive(), 1000);
    heap.collect_young();
    const auto copy = heap.make<tree>(*root);
    root->parts.erase(root->parts.begin() + 3);
    EXPECT_EQ(alive(), 1000);
    copy->parts.clear();
    EXPECT_EQ(alive(), 900);
    EXPECT_EQ(root->parts[8].parts[99].node->id, 99);
    EXPECT_EQ(root->parts[8].name, std::string(50, 'x'));
    root->parts = {};
    EXPECT_EQ(alive(), 0);
}

TEST_F(traced_vector_test, may_be_in_other_members_and_in_arrays) {
    const auto its = heap.make<in_other_members>();
    its->maybe.emplace();
    its->maybe->push_back(heap.make<tracked_node>(1));
    its->pair.second.push_back(heap.make<tracked_node>(2));
    its->array[1].push_back(heap.make<tracked_node>(3));
    const auto rows = heap.make_array<traced_vector<traced_ptr<tracked_node>>>(10'000);
    (*rows)[9'999].push_back(heap.make<tracked_node>(4));
    EXPECT_EQ(alive(), 4);
    EXPECT_EQ((*rows)[9'999][0]->id, 4);
    its->maybe.reset();
    its->pair.second.pop_back();
    its->array[1] = {};
    (*rows)[9'999].clear();
    EXPECT_EQ(alive(), 0);
}

TEST_F(traced_vector_test, what_its_elements_own_outside_of_the_heap_counts) {
    struct texts {
        traced_vector<std::string> all = {};
    };
    const auto its = heap.make<texts>();
    its->all.resize(4000, std::string(1000, 'x'));
    heap.collect();
    EXPECT_GE(heap.external_bytes(), std::size_t{4'000'000});
    EXPECT_LE(heap.external_bytes(), std::size_t{8'000'000});
}

TEST_F(traced_vector_test, a_constructor_may_fill_it) {
    freehold::traced_heap_options options;
    options.collect_at_every_allocation = true;
    traced_heap often(options);
    const auto its = often.make<filled>(often);
    often.collect();
    EXPECT_EQ(tracked::alive(), 100);
    EXPECT_EQ(its->all[99]->id, 99);
}

namespace {

traced_heap* heap_of_elements = nullptr;

struct allocating {
    traced_ptr<tracked_node> node = heap_of_elements->make<tracked_node>(7);
};

}  // namespace

TEST_F(traced_vector_test, its_elements_may_allocate) {
    freehold::traced_heap_options options;
    options.collect_at_every_allocation = true;
    traced_heap often(options);
    heap_of_elements = &often;
    struct holder {
        traced_vector<allocating> all = {};
    };
    const auto its = often.make<holder>();
    for (int i = 0; i < 100; ++i) its->all.emplace_back();
    its->all.resize(200);
    often.collect();
    EXPECT_EQ(tracked::alive(), 200);
    for (const allocating& each : its->all) EXPECT_EQ(each.node->id, 7);
}

TEST_F(traced_vector_test, a_heap_with_one_is_handed_over_and_destroyed) {
    {
        traced_heap given;
        struct counted {
            traced_vector<tracked> all = {};
        };
        freehold::traced_root<counted> kept = given.make<counted>();
        kept->all.resize(10);
        given.detach();
        given.attach();
        kept->all.resize(10'000);
        EXPECT_EQ(tracked::alive(), 10'000);
    }
    EXPECT_EQ(tracked::alive(), 0);
}

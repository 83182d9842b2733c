// What a traced_deque has beside what all sequences have: contracts/traced_sequence, contracts/traced_sequence_in_use.

#include <gtest/gtest.h>
#include <freehold/traced/traced_deque.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <random>
#include <ranges>
#include <string>

#include <freehold/traced/traced_heap.hpp>

#include "support/tracked_node.hpp"

namespace {

using freehold::traced_deque;
using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using support::tracked;
using support::tracked_node;

struct queue {
    traced_deque<traced_ptr<tracked_node>> waiting = {};
    traced_deque<std::string> names = {};
};

class traced_deque_test : public support::tracked_test {
protected:
    int alive() {
        heap.collect();
        return tracked::alive();
    }

    void TearDown() override {
        its = nullptr;
        heap.collect();
        support::tracked_test::TearDown();
    }

    traced_heap heap;
    traced_local<queue> its = heap.make<queue>();
};

static_assert(sizeof(traced_deque<std::string>) == sizeof(void*));
static_assert(std::ranges::random_access_range<traced_deque<std::string>>);
static_assert(std::random_access_iterator<traced_deque<int>::const_iterator>);

}  // namespace

TEST_F(traced_deque_test, is_a_queue_that_takes_no_more_memory_than_it_needs) {
    int pushed = 0;
    for (; pushed < 10; ++pushed) its->waiting.push_back(heap.make<tracked_node>(pushed));
    heap.collect();
    const std::size_t bytes = heap.heap_bytes();
    for (int popped = 0; popped < 10'000; ++popped) {
        ASSERT_EQ(its->waiting.front()->id, popped);
        its->waiting.pop_front();
        its->waiting.push_back(heap.make<tracked_node>(pushed++));
        if (popped % 100 == 0) heap.collect_young();
    }
    EXPECT_EQ(alive(), 10);
    EXPECT_EQ(heap.heap_bytes(), bytes);
    its->waiting.clear();
    EXPECT_EQ(alive(), 0);
}

TEST_F(traced_deque_test, both_ends_are_those_of_the_standard) {
    std::mt19937 random(1);
    std::deque<std::string> expected;
    for (int i = 0; i < 5000; ++i) {
        const std::string name = std::string(30, 'x') + std::to_string(i);
        switch (random() % 5) {
            case 0:
                its->names.push_front(name);
                expected.push_front(name);
                break;
            case 1:
                EXPECT_EQ(its->names.emplace_front(name), name);
                expected.push_front(name);
                break;
            case 2:
                its->names.push_back(name);
                expected.push_back(name);
                break;
            default:
                if (expected.empty()) break;
                ASSERT_EQ(its->names.front(), expected.front());
                its->names.pop_front();
                expected.pop_front();
                break;
        }
        if (i % 500 == 0) its->names.shrink_to_fit();
        ASSERT_TRUE(std::ranges::equal(its->names, expected)) << i;
    }
}

TEST_F(traced_deque_test, a_front_that_is_removed_keeps_nothing_alive) {
    for (int i = 0; i < 100; ++i) its->waiting.push_front(heap.make<tracked_node>(i));
    EXPECT_EQ(alive(), 100);
    for (int i = 0; i < 60; ++i) its->waiting.pop_front();
    EXPECT_EQ(alive(), 40);
    EXPECT_EQ(its->waiting.front()->id, 39);
    its->waiting = {};
    EXPECT_EQ(alive(), 0);
}

TEST_F(traced_deque_test, iterators_are_numbers_of_elements) {
    for (int i = 0; i < 10; ++i) its->names.push_back(std::to_string(i));
    const auto third = its->names.begin() + 3;
    traced_deque<std::string>::const_iterator same = third;
    for (int i = 10; i < 1000; ++i) its->names.push_back(std::to_string(i));
    EXPECT_EQ(*third, "3");
    EXPECT_EQ(same->size(), 1U);
    EXPECT_EQ(same[2], "5");
    EXPECT_EQ(its->names.end() - third, 997);
    EXPECT_LT(third, its->names.end());
    EXPECT_EQ(*(2 + same++), "5");
    EXPECT_EQ(*--same, "3");
    same -= 3;
    EXPECT_EQ(same, its->names.cbegin());
    EXPECT_EQ(*its->names.crbegin(), "999");
    const auto other = heap.make<queue>();
    other->names.resize(5, "other");
    swap(its->names, other->names);
    EXPECT_EQ(*third, "other");
}

TEST_F(traced_deque_test, works_with_algorithms) {
    for (int i = 0; i < 300; ++i) its->waiting.push_front(heap.make<tracked_node>(i));
    for (int i = 300; i < 600; ++i) its->waiting.push_back(heap.make<tracked_node>(i));
    std::ranges::sort(its->waiting, {}, [](const auto& each) { return each->id; });
    heap.collect_young();
    for (int i = 0; i < 600; ++i) EXPECT_EQ(its->waiting[static_cast<std::size_t>(i)]->id, i);
    its->waiting.clear();
    EXPECT_EQ(alive(), 0);
}

// Each part of a large ring is traced by the bytes that a step looks at.
TEST_F(traced_deque_test, a_large_ring_that_wraps_is_traced) {
    for (int i = 0; i < 5000; ++i) its->waiting.push_back(heap.make<tracked_node>(i));
    for (int i = 0; i < 3000; ++i) its->waiting.pop_front();
    heap.collect();
    for (int i = 5000; i < 8000; ++i) {
        its->waiting.push_back(heap.make<tracked_node>(i));
        if (i % 100 == 0) heap.collect_young();
    }
    EXPECT_EQ(alive(), 5000);
    for (int i = 0; i < 5000; ++i) ASSERT_EQ(its->waiting[static_cast<std::size_t>(i)]->id, i + 3000);
    its->waiting = {};
    EXPECT_EQ(alive(), 0);
}

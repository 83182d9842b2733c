#include <gtest/gtest.h>
#include <freehold/traced/ephemeron.hpp>

#include <vector>

#include <freehold/traced/traced_heap.hpp>

#include "support/tracked_node.hpp"

namespace {

using freehold::ephemeron;
using freehold::traced_heap;
using freehold::traced_local;
using freehold::traced_ptr;
using support::tracked;
using support::tracked_node;

using pair = ephemeron<tracked_node, tracked_node>;

class ephemeron_test : public support::tracked_test {
protected:
    traced_heap heap;

    void TearDown() override {
        heap.collect();
        support::tracked_test::TearDown();
    }
};

struct table {
    std::vector<pair> pairs = {};
    pair one = {};
};

}  // namespace

TEST_F(ephemeron_test, the_value_lives_as_long_as_the_key) {
    traced_local<tracked_node> key = heap.make<tracked_node>(1);
    const pair both(key, heap.make<tracked_node>(2));
    heap.collect();
    EXPECT_EQ(both.key(), key);
    EXPECT_EQ(both.value()->id, 2);
    key = nullptr;
    heap.collect();
    EXPECT_TRUE(both.expired());
    EXPECT_FALSE(both.value());
    EXPECT_EQ(tracked::alive(), 0);
}

TEST_F(ephemeron_test, a_value_that_leads_to_its_key_keeps_neither) {
    const traced_local<tracked_node> value = heap.make<tracked_node>(2);
    pair both;
    {
        const traced_local<tracked_node> own = heap.make<tracked_node>(3);
        own->next = heap.make<tracked_node>(1);
        both = pair(own->next, own);
    }
    heap.collect();
    EXPECT_TRUE(both.expired());
    EXPECT_EQ(tracked::alive(), 1);
}

TEST_F(ephemeron_test, a_value_may_be_the_key_of_another) {
    const traced_local<tracked_node> first = heap.make<tracked_node>(0);
    std::vector<pair> chain;
    traced_local<tracked_node> key = first;
    for (int i = 1; i <= 100; ++i) {
        const traced_local<tracked_node> value = heap.make<tracked_node>(i);
        chain.insert(chain.begin() + (i % 2 == 0 ? 0 : static_cast<int>(chain.size())), pair(key, value));
        key = value;
    }
    key = nullptr;
    heap.collect();
    EXPECT_EQ(tracked::alive(), 101);
}

// It took minutes when all were visited for each.
TEST_F(ephemeron_test, a_long_chain_is_followed_in_linear_time) {
    constexpr int length = 200'000;
    std::vector<pair> chain(length);
    const traced_local<tracked_node> first = heap.make<tracked_node>(0);
    traced_local<tracked_node> key = first;
    for (int i = 0; i < length; ++i) {
        const traced_local<tracked_node> value = heap.make<tracked_node>(i);
        chain[static_cast<std::size_t>(i)] = pair(key, value);
        key = value;
    }
    key = nullptr;
    heap.collect();
    EXPECT_EQ(tracked::alive(), length + 1);
    EXPECT_EQ(chain.back().value()->id, length - 1);
}

// An object that leads nowhere is not traced, and so must be noticed otherwise.
TEST_F(ephemeron_test, the_key_of_another_may_lead_nowhere) {
    struct value {
        freehold::traced_ptr<int> next_key;
    };
    std::vector<ephemeron<int, value>> chain;
    const traced_local<int> first = heap.make<int>(0);
    traced_local<int> key = first;
    for (int i = 1; i <= 100; ++i) {
        const traced_local<int> next = heap.make<int>(i);
        chain.emplace_back(key, heap.make<value>(next));
        key = next;
    }
    key = nullptr;
    heap.collect();
    EXPECT_EQ(*chain.back().value()->next_key, 100);
    heap.collect();
    EXPECT_EQ(*chain.back().value()->next_key, 100);
}

TEST_F(ephemeron_test, one_in_the_value_of_another_is_followed) {
    const traced_local<tracked_node> key = heap.make<tracked_node>(1);
    traced_local<table> inner = heap.make<table>();
    inner->one = pair(key, heap.make<tracked_node>(2));
    const ephemeron<tracked_node, table> outer(key, inner);
    traced_local<table> forgotten = heap.make<table>();
    forgotten->one = pair(key, heap.make<tracked_node>(3));
    inner = nullptr;
    forgotten = nullptr;
    heap.collect();
    EXPECT_EQ(outer.value()->one.value()->id, 2);
    EXPECT_EQ(tracked::alive(), 2);
}

TEST_F(ephemeron_test, an_old_one_may_be_given_young_objects) {
    traced_local<tracked_node> key = heap.make<tracked_node>(1);
    pair both(key, heap.make<tracked_node>(2));
    heap.collect();
    both = pair(key, heap.make<tracked_node>(3));
    heap.collect_young();
    EXPECT_EQ(both.value()->id, 3);
    key = heap.make<tracked_node>(4);
    both = pair(key, heap.make<tracked_node>(5));
    key = nullptr;
    heap.collect_young();
    EXPECT_TRUE(both.expired());
}

TEST_F(ephemeron_test, one_in_an_object_has_an_effect_while_that_is_alive) {
    const traced_local<tracked_node> key = heap.make<tracked_node>(1);
    traced_local<table> kept = heap.make<table>();
    kept->one = pair(key, heap.make<tracked_node>(2));
    kept->pairs.emplace_back(key, heap.make<tracked_node>(3));
    heap.collect_young();
    heap.collect();
    EXPECT_EQ(kept->one.value()->id, 2);
    EXPECT_EQ(tracked::alive(), 3);
    kept = nullptr;
    heap.collect();
    heap.collect();
    EXPECT_EQ(tracked::alive(), 1);
}

TEST_F(ephemeron_test, is_empty_once_its_heap_is_destroyed) {
    pair both;
    {
        traced_heap other;
        const traced_local<tracked_node> key = other.make<tracked_node>(1);
        both = pair(key, other.make<tracked_node>(2));
    }
    EXPECT_TRUE(both.expired());
}

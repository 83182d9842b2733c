// What it has in common with a heap that threads share is tested in contracts/cyclic_collection/.

#include <gtest/gtest.h>
#include <freehold/cyclic/cycle_collector.hpp>

#include <chrono>
#include <cstddef>

#include <freehold/cyclic/cyclic_ptr.hpp>

#include "support/cyclic_ring.hpp"
#include "support/tracked.hpp"

using freehold::cycle_collector;
using freehold::cyclic_ptr;
using freehold::make_cyclic;
using support::make_ring;

namespace {

struct node {
    cyclic_ptr<node> next;
    support::tracked part;
};

// Every collection begins and ends with nothing alive, and is asked for by the test.
class cycle_collector_test : public support::tracked_test {
protected:
    void SetUp() override {
        cycle_collector::set_automatic(false);
        support::tracked_test::SetUp();
    }

    void TearDown() override {
        EXPECT_EQ(cycle_collector::objects(), 0U);
        EXPECT_EQ(cycle_collector::candidates(), 0U);
        support::tracked_test::TearDown();
        cycle_collector::set_automatic(true);
    }
};

}  // namespace

TEST_F(cycle_collector_test, a_candidate_may_be_destroyed_before_it_is_visited) {
    auto p = make_cyclic<node>();
    auto q = make_cyclic<node>();
    for (int i = 0; i < 3; ++i) {
        auto copy_of_p = p;
        auto copy_of_q = q;
    }
    EXPECT_EQ(cycle_collector::candidates(), 2U);
    p.reset();
    EXPECT_EQ(cycle_collector::collect(), 0U);
    EXPECT_EQ(support::tracked::alive(), 1);
}

// Budgets.

TEST_F(cycle_collector_test, a_budget_bounds_what_is_visited) {
    for (int i = 0; i < 10; ++i) make_ring<node>(10).reset();
    EXPECT_EQ(cycle_collector::collect(35), 30U);
    EXPECT_EQ(cycle_collector::collect(9), 0U);
    EXPECT_EQ(cycle_collector::collect(0), 0U);
    EXPECT_EQ(cycle_collector::collect(10), 10U);
    EXPECT_EQ(cycle_collector::collect(), 60U);
}

TEST_F(cycle_collector_test, what_exceeds_a_budget_does_not_hinder_the_rest) {
    make_ring<node>(10).reset();
    make_ring<node>(100).reset();
    std::size_t destroyed = 0;
    for (int i = 0; i < 3; ++i) destroyed += cycle_collector::collect(50);
    EXPECT_EQ(destroyed, 10U);
    EXPECT_EQ(cycle_collector::collect(), 100U);
}

TEST_F(cycle_collector_test, counts_are_as_before_when_a_budget_was_exceeded) {
    auto ring = make_ring<node>(10);
    const auto copy = ring;
    ring.reset();
    EXPECT_EQ(cycle_collector::collect(5), 0U);
    for (node* each = copy.get(); each != copy.get(); each = each->next.get()) EXPECT_EQ(each->next.use_count(), 1);
    EXPECT_EQ(copy.use_count(), 2);
    const_cast<cyclic_ptr<node>&>(copy).reset();
    EXPECT_EQ(cycle_collector::collect(), 10U);
}

TEST_F(cycle_collector_test, collections_are_reported) {
    static freehold::cyclic_collection told{};
    cycle_collector::on_collection([](const freehold::cyclic_collection& done) { told = done; });
    const cyclic_ptr<node> kept = make_ring<node>(3);
    make_ring<node>(5);
    const auto before = std::chrono::steady_clock::now();
    cyclic_ptr<node>(kept).reset();
    cycle_collector::collect();
    cycle_collector::on_collection(nullptr);
    EXPECT_EQ(told.destroyed_objects, 5U);
    EXPECT_EQ(told.visited_objects, 8U);
    EXPECT_GE(told.started, before);
    EXPECT_GT(told.pause.count(), 0);
    told.visited_objects = 0;
    cycle_collector::collect();
    EXPECT_EQ(told.visited_objects, 0U);
    kept->next.reset();
}

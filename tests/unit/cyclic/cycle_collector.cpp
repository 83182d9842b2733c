// What it has in common with a heap that threads share is tested in contracts/cyclic_collection/.

#include <gtest/gtest.h>
#include <freehold/cyclic/cycle_collector.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include <freehold/cyclic/cyclic_ptr.hpp>

#include "support/cyclic_ring.hpp"
#include "support/effort.hpp"
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

// Asks for the candidates when it is destroyed, which drops the dead ones.
struct counting_node {
    ~counting_node() { static_cast<void>(cycle_collector::candidates()); }
    void trace(auto& visit) const { visit(next); }

    cyclic_ptr<counting_node> next;
};

// Owns another one where no trace looks, and another one where it does.
struct outer {
    ~outer() { static_cast<void>(cycle_collector::candidates()); }
    void trace(auto& visit) const { visit(self, other); }

    cyclic_ptr<outer> self;
    cyclic_ptr<outer> other;
    std::vector<cyclic_ptr<outer>> hidden;
    support::tracked part;
};

struct linked {
    cyclic_ptr<linked> next;
    cyclic_ptr<linked> other;
    support::tracked part;
};

// Owns the same one where a trace looks and where none does.
struct owns_twice {
    void trace(auto& visit) const { visit(self, other); }

    cyclic_ptr<owns_twice> self;
    cyclic_ptr<owns_twice> other;
    std::vector<cyclic_ptr<owns_twice>> hidden;
};

struct filler {
    cyclic_ptr<filler> none;
    std::array<char, 1000> bytes;
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
    EXPECT_EQ(cycle_collector::collect(), 70U);
}

TEST_F(cycle_collector_test, steps_of_a_small_budget_find_what_exceeds_it) {
    make_ring<node>(100).reset();
    const cyclic_ptr<node> kept = make_ring<node>(50);
    cyclic_ptr<node>(kept).reset();
    std::size_t destroyed = 0;
    for (int i = 0; i < 500; ++i) destroyed += cycle_collector::collect(3);
    EXPECT_EQ(destroyed, 100U);
    kept->next.reset();
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

// Memory.

struct large_node {
    cyclic_ptr<large_node> next;
    std::array<char, 1000> bytes{};
};

TEST_F(cycle_collector_test, garbage_makes_way_before_a_limit_is_exceeded) {
    cycle_collector::set_limit(std::size_t{1} << 20);
    for (int i = 0; i < 10'000; ++i) make_ring<large_node>(2).reset();
    EXPECT_LE(cycle_collector::statistics().mapped, std::size_t{1} << 20);
    cycle_collector::set_limit(SIZE_MAX);
    cycle_collector::collect();
}

TEST_F(cycle_collector_test, a_limit_that_living_objects_reach_is_an_error) {
    cycle_collector::set_limit(std::size_t{1} << 20);
    cyclic_ptr<large_node> kept;
    int made = 0;
    const auto add = [&] {
        auto added = make_cyclic<large_node>();
        added->next = std::move(kept);
        kept = std::move(added);
        ++made;
    };
    EXPECT_THROW(while (true) add(), std::bad_alloc);
    EXPECT_GT(made, 900);
    kept.reset();
    EXPECT_NO_THROW(add());
    kept.reset();
    cycle_collector::set_limit(SIZE_MAX);
}

struct picture {
    cyclic_ptr<picture> next;
    std::vector<char> pixels;
    support::tracked part;
};

TEST_F(cycle_collector_test, what_objects_own_outside_hastens_a_collection) {
    cycle_collector::collect();
    cycle_collector::set_automatic(true);
    int most = 0;
    const int rings = support::effort(3000, 600);
    for (int i = 0; i < rings; ++i) {
        const auto ring = make_ring<picture>(2);
        ring->pixels.resize(100'000);
        most = std::max(most, support::tracked::alive());
    }
    EXPECT_LT(most, 200);
    cycle_collector::collect();
}

TEST_F(cycle_collector_test, what_it_is_told_of_hastens_a_collection) {
    cycle_collector::collect();
    cycle_collector::set_automatic(true);
    int most = 0;
    for (int i = 0; i < 3000; ++i) {
        const auto ring = make_ring<node>(2);
        cycle_collector::external_bytes(ring, 100'000);
        most = std::max(most, support::tracked::alive());
    }
    EXPECT_LT(most, 200);
    cycle_collector::collect();
}

TEST(cycle_collector, what_a_step_destroys_may_shorten_the_list_of_candidates) {
    // Effects: steps look at all candidates.
    const auto grow = [] {
        for (int i = 0; i < 64; ++i) static_cast<void>(make_cyclic<filler>());
    };
    for (int i = 0; i < 100; ++i) {
        auto a = make_cyclic<counting_node>();
        auto b = make_cyclic<counting_node>();
        a->next = b;
        b->next = a;
        cyclic_ptr<counting_node>(a).reset();
        grow();
        cyclic_ptr<counting_node>(a).reset();
        cyclic_ptr<counting_node>(b).reset();
        a.reset();
        b.reset();
        grow();
    }
    cycle_collector::collect();
    EXPECT_EQ(cycle_collector::objects(), 0U);
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

TEST_F(cycle_collector_test, what_lives_is_visited_once_though_garbage_leads_to_it) {
    static std::size_t visits;
    cycle_collector::on_collection([](const freehold::cyclic_collection& done) { visits = done.visited_objects; });
    auto alive = make_ring<linked>(100);
    for (int i = 0; i < 10; ++i) {
        const auto garbage = make_ring<linked>(2);
        garbage->other = alive;
        garbage->next->other = alive->next;
    }
    EXPECT_EQ(cycle_collector::collect(), 20U);
    EXPECT_EQ(visits, 120U);
    cycle_collector::on_collection(nullptr);
    alive.reset();
    EXPECT_EQ(cycle_collector::collect(), 100U);
}

TEST_F(cycle_collector_test, destructors_at_any_depth_may_ask_for_the_candidates) {
    cyclic_ptr<outer> nested;
    for (int i = 0; i < 1000; ++i) {
        const auto made = make_cyclic<outer>();
        made->self = made;
        made->other = nested;
        if (nested) made->hidden.push_back(std::move(nested));
        nested = made;
    }
    nested.reset();
    EXPECT_EQ(cycle_collector::collect(), 1000U);
}

TEST_F(cycle_collector_test, visits_are_linear_in_the_levels_of_nested_garbage) {
    static std::size_t visits;
    cycle_collector::on_collection([](const freehold::cyclic_collection& done) { visits = done.visited_objects; });
    constexpr std::size_t levels = 3000;
    cyclic_ptr<owns_twice> nested;
    for (std::size_t i = 0; i < levels; ++i) {
        const auto made = make_cyclic<owns_twice>();
        made->self = made;
        made->other = nested;
        made->hidden.push_back(std::move(nested));
        nested = made;
    }
    nested.reset();
    EXPECT_EQ(cycle_collector::collect(), levels);
    EXPECT_LT(visits, 100 * levels) << "not all that is left, for each of them";
    cycle_collector::on_collection(nullptr);
}

#include <gtest/gtest.h>
#include <freehold/collection/cycle_collector.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <typeinfo>
#include <utility>
#include <vector>

#include <freehold/collection/cyclic_ptr.hpp>
#include <freehold/collection/cyclic_weak_ptr.hpp>

#include "support/cyclic_ring.hpp"
#include "support/tracked.hpp"

using freehold::cycle_collector;
using freehold::cyclic_ptr;
using freehold::cyclic_weak_ptr;
using freehold::make_cyclic;
using support::make_ring;

namespace {

struct node {
    cyclic_ptr<node> next;
    std::vector<cyclic_ptr<node>> others;
    support::tracked part;
};

// Does what a test tells it to when it is finalised, and when it is destroyed.
struct actor {
    ~actor() {
        if (at_end) at_end(*this);
    }

    void finalize() {
        ++finalized;
        if (at_finalize) at_finalize(*this);
    }

    void trace(auto& visit) const { visit(next, others); }

    cyclic_ptr<actor> next;
    std::vector<cyclic_ptr<actor>> others;
    support::tracked part;
    int finalized = 0;
    std::function<void(actor&)> at_finalize;
    std::function<void(actor&)> at_end;
};

// Has an owner that no trace visits.
struct forgetful {
    void trace(auto& visit) const { visit(next); }

    cyclic_ptr<forgetful> next;
    std::vector<cyclic_ptr<forgetful>> forgotten;
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

// The three defects of the first cyclic pointer.

TEST_F(cycle_collector_test, a_live_cycle_is_left_alone_and_the_search_ends) {
    auto ring = make_ring<node>(2);
    auto other = ring->next;
    other.reset();
    EXPECT_EQ(cycle_collector::collect(), 0U);
    EXPECT_EQ(support::tracked::alive(), 2);
    EXPECT_EQ(ring->next->next, ring);
    ring.reset();
    EXPECT_EQ(cycle_collector::collect(), 2U);
}

TEST_F(cycle_collector_test, counts_of_what_lives_are_as_before) {
    auto p = make_ring<node>(1);
    auto second = p;
    auto third = p;
    p->others = {p, p};
    EXPECT_EQ(p.use_count(), 6);
    third.reset();
    EXPECT_EQ(cycle_collector::collect(), 0U);
    EXPECT_EQ(p.use_count(), 5);
    p->others.clear();
    EXPECT_EQ(p.use_count(), 3);
    p.reset();
    second.reset();
    EXPECT_EQ(cycle_collector::collect(), 1U);
}

TEST_F(cycle_collector_test, edges_in_a_container_are_seen) {
    auto p = make_cyclic<node>();
    p->others.push_back(make_cyclic<node>());
    p->others[0]->others.push_back(p);
    p.reset();
    EXPECT_EQ(cycle_collector::collect(), 2U);
}

// What is garbage.

TEST_F(cycle_collector_test, a_cycle_that_is_owned_ends_when_it_is_not) {
    auto ring = make_ring<node>(3);
    const cyclic_ptr<node> root = ring->next;
    ring.reset();
    EXPECT_EQ(cycle_collector::collect(), 0U);
    const_cast<cyclic_ptr<node>&>(root).reset();
    EXPECT_EQ(cycle_collector::collect(), 3U);
}

TEST_F(cycle_collector_test, what_a_cycle_owns_ends_with_it) {
    auto ring = make_ring<node>(2);
    ring->others.push_back(make_cyclic<node>());
    ring->others[0]->next = make_ring<node>(2);
    const auto kept = make_cyclic<node>();
    ring->others.push_back(kept);
    ring.reset();
    EXPECT_EQ(cycle_collector::collect(), 5U);
    EXPECT_EQ(kept.use_count(), 1);
}

TEST_F(cycle_collector_test, what_an_owned_object_leads_to_is_kept) {
    auto root = make_cyclic<node>();
    auto ring = make_ring<node>(3);
    root->next = ring;
    ring.reset();
    EXPECT_EQ(cycle_collector::collect(), 0U);
    EXPECT_EQ(support::tracked::alive(), 4);
    root.reset();
    EXPECT_EQ(support::tracked::alive(), 3) << "the root ended promptly";
    EXPECT_EQ(cycle_collector::collect(), 3U);
}

TEST_F(cycle_collector_test, a_candidate_may_end_before_it_is_looked_at) {
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

TEST_F(cycle_collector_test, a_candidate_may_get_owners_again) {
    auto ring = make_ring<node>(2);
    const cyclic_weak_ptr<node> observer = ring;
    ring.reset();
    ring = observer.lock();
    EXPECT_EQ(cycle_collector::collect(), 0U);
    ring.reset();
    EXPECT_EQ(cycle_collector::collect(), 2U);
}

TEST_F(cycle_collector_test, edges_in_all_kinds_of_members_are_seen) {
    struct everything {
        std::optional<cyclic_ptr<everything>> maybe;
        std::map<int, cyclic_ptr<everything>> values;
        std::map<cyclic_ptr<everything>, int> keys;
        std::list<std::pair<int, cyclic_ptr<everything>>> pairs;
        cyclic_ptr<everything> row[2];
        std::unique_ptr<std::vector<cyclic_ptr<const everything>>> unique;
        support::tracked part;
    };
    auto p = make_cyclic<everything>();
    p->maybe = p;
    p->values[1] = p;
    p->keys[p] = 1;
    p->pairs.emplace_back(1, p);
    p->row[1] = p;
    p->unique = std::make_unique<std::vector<cyclic_ptr<const everything>>>();
    p->unique->push_back(p);
    EXPECT_EQ(p.use_count(), 7);
    p.reset();
    EXPECT_EQ(cycle_collector::collect(), 1U);
}

// What destructors may do.

TEST_F(cycle_collector_test, a_destructor_in_a_cycle_finds_its_pointers_into_the_cycle_null_and_others_whole) {
    auto ring = make_ring<actor>(2);
    auto outside = make_cyclic<actor>();
    bool looked = false;
    ring->at_end = [&looked](actor& dying) {
        looked = true;
        EXPECT_FALSE(dying.next);
        ASSERT_EQ(dying.others.size(), 2U);
        EXPECT_FALSE(dying.others[0]);
        EXPECT_EQ(dying.others[1]->others.size(), 0U);
    };
    ring->others = {ring->next, outside};
    ring.reset();
    EXPECT_EQ(cycle_collector::collect(), 2U);
    EXPECT_TRUE(looked);
    EXPECT_EQ(outside.use_count(), 1);
}

TEST_F(cycle_collector_test, destructors_may_make_copy_and_drop_objects_and_collect) {
    auto ring = make_ring<actor>(2);
    auto kept = make_cyclic<actor>();
    cyclic_ptr<actor> copy;
    cyclic_ptr<actor> made;
    ring->others = {kept};
    ring->at_end = [&](actor& dying) {
        copy = dying.others[0];
        kept.reset();
        made = make_cyclic<actor>();
        make_ring<actor>(3).reset();
        EXPECT_EQ(cycle_collector::collect(), 0U) << "not now";
    };
    ring.reset();
    EXPECT_EQ(cycle_collector::collect(), 2U);
    EXPECT_TRUE(made);
    EXPECT_EQ(copy.use_count(), 1);
    EXPECT_EQ(support::tracked::alive(), 5);
    EXPECT_EQ(cycle_collector::collect(), 3U) << "the ring that the destructor left";
}

TEST_F(cycle_collector_test, a_destructor_outside_of_a_collection_may_ask_for_one) {
    auto p = make_cyclic<actor>();
    make_ring<node>(2).reset();
    p->at_end = [](actor&) { EXPECT_EQ(cycle_collector::collect(), 0U); };
    p.reset();
    EXPECT_EQ(support::tracked::alive(), 2);
    EXPECT_EQ(cycle_collector::collect(), 2U);
}

TEST_F(cycle_collector_test, a_destructor_may_drop_a_long_chain) {
    auto ring = make_ring<actor>(2);
    cyclic_ptr<node> chain;
    for (int i = 0; i < 100'000; ++i) {
        auto added = make_cyclic<node>();
        added->next = std::move(chain);
        chain = std::move(added);
    }
    ring->at_end = [&chain](actor&) { chain.reset(); };
    ring.reset();
    EXPECT_EQ(cycle_collector::collect(), 2U);
    EXPECT_EQ(support::tracked::alive(), 0) << "all of it ended before collect returned";
}

// Finalisation and observers.

TEST_F(cycle_collector_test, observers_expire_before_anything_is_finalised) {
    auto ring = make_ring<actor>(2);
    const cyclic_weak_ptr<actor> first = ring;
    const cyclic_weak_ptr<actor> second = ring->next;
    int expired = 0;
    const auto look = [&](actor&) { expired += first.expired() && second.expired() ? 1 : 0; };
    ring->at_finalize = ring->next->at_finalize = look;
    ring.reset();
    EXPECT_EQ(cycle_collector::collect(), 2U);
    EXPECT_EQ(expired, 2);
}

TEST_F(cycle_collector_test, all_are_whole_while_they_are_finalised) {
    auto ring = make_ring<actor>(3);
    int whole = 0;
    for (actor* each = ring.get(); whole < 3; each = each->next.get(), ++whole) {
        each->at_finalize = [](actor& dying) { EXPECT_EQ(dying.next->next->next.get(), &dying); };
    }
    ring.reset();
    EXPECT_EQ(cycle_collector::collect(), 3U);
}

TEST_F(cycle_collector_test, what_finalisation_gives_an_owner_lives_on_and_is_finalised_once) {
    auto ring = make_ring<actor>(2);
    cyclic_ptr<actor> rescued;
    ring->at_finalize = [&rescued](actor& dying) { rescued = dying.next; };
    ring->others.push_back(make_ring<actor>(1));
    const cyclic_weak_ptr<actor> observer = ring;
    ring.reset();
    EXPECT_EQ(cycle_collector::collect(), 0U);
    ASSERT_TRUE(rescued);
    EXPECT_EQ(support::tracked::alive(), 3);
    EXPECT_EQ(rescued->finalized, 1);
    EXPECT_EQ(rescued->next->next, rescued) << "whole";
    EXPECT_TRUE(observer.expired()) << "for good";
    rescued->next->at_finalize = [](actor&) { ADD_FAILURE() << "twice"; };
    rescued.reset();
    EXPECT_EQ(cycle_collector::collect(), 3U);
}

TEST_F(cycle_collector_test, finalisation_may_take_the_cycle_apart) {
    auto ring = make_ring<actor>(3);
    ring->at_finalize = [](actor& dying) {
        dying.next->next.reset();
        dying.next.reset();
    };
    ring.reset();
    EXPECT_EQ(cycle_collector::collect(), 3U);
}

TEST_F(cycle_collector_test, what_finalisation_adds_to_the_cycle_is_finalised_and_ends_with_it) {
    auto ring = make_ring<actor>(2);
    int finalized = 0;
    ring->at_finalize = [&finalized](actor& dying) {
        auto added = make_cyclic<actor>();
        added->at_finalize = [&finalized](actor&) { ++finalized; };
        added->next = dying.next;
        dying.others.push_back(added);
    };
    ring.reset();
    EXPECT_EQ(cycle_collector::collect(), 3U);
    EXPECT_EQ(finalized, 1);
}

TEST_F(cycle_collector_test, finalisation_that_adds_for_ever_ends_a_run_and_loses_nothing) {
    auto ring = make_ring<actor>(1);
    bool more = true;
    std::function<void(actor&)> add = [&](actor& dying) {
        if (!more) return;
        auto added = make_cyclic<actor>();
        added->at_finalize = add;
        added->next = dying.next;
        dying.next = added;
    };
    ring->at_finalize = add;
    ring.reset();
    EXPECT_EQ(cycle_collector::collect(), 0U);
    more = false;
    EXPECT_EQ(cycle_collector::collect(), 9U) << "one for each round, and the first";
}

TEST_F(cycle_collector_test, an_object_that_ends_promptly_is_finalised_once) {
    auto p = make_cyclic<actor>();
    int finalized = 0;
    p->at_finalize = [&](actor&) { ++finalized; };
    p.reset();
    EXPECT_EQ(finalized, 1);
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

TEST_F(cycle_collector_test, a_chain_whose_objects_let_go_in_finalisation_ends_in_constant_stack) {
    cyclic_ptr<actor> chain;
    for (int i = 0; i < 100'000; ++i) {
        auto added = make_cyclic<actor>();
        added->next = std::move(chain);
        added->at_finalize = [](actor& dying) { dying.next.reset(); };
        added->at_end = [](actor& dying) { EXPECT_EQ(dying.finalized, 1); };
        chain = std::move(added);
    }
    chain.reset();
    EXPECT_EQ(support::tracked::destroyed(), 100'000);
}

// Budgets.

TEST_F(cycle_collector_test, a_budget_bounds_what_is_looked_at) {
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

// When it collects by itself.

TEST_F(cycle_collector_test, rings_that_are_dropped_do_not_pile_up) {
    cycle_collector::set_automatic(true);
    int most = 0;
    for (int i = 0; i < 20'000; ++i) {
        make_ring<node>(5).reset();
        most = std::max(most, support::tracked::alive());
    }
    EXPECT_LT(most, 20'000);
    cycle_collector::collect();
}

TEST_F(cycle_collector_test, a_program_that_only_moves_pointers_does_not_collect) {
    cycle_collector::set_automatic(true);
    auto cursor = make_ring<node>(5000);
    make_ring<node>(2).reset();
    for (int i = 0; i < 50'000; ++i) cursor = cursor->next;
    EXPECT_EQ(support::tracked::alive(), 5002);
    cursor.reset();
    EXPECT_EQ(cycle_collector::collect(), 5002U);
}

TEST_F(cycle_collector_test, every_run_is_counted) {
    const std::size_t before = cycle_collector::runs();
    cycle_collector::collect();
    EXPECT_EQ(cycle_collector::runs(), before + 1);
    cycle_collector::set_automatic(true);
    for (int i = 0; i < 20'000; ++i) make_ring<node>(5).reset();
    EXPECT_GT(cycle_collector::runs(), before + 2);
    cycle_collector::collect();
}

TEST_F(cycle_collector_test, a_cursor_on_a_living_ring_causes_no_run) {
    cycle_collector::set_automatic(true);
    auto cursor = make_ring<node>(5000);
    const std::size_t before = cycle_collector::runs();
    for (int i = 0; i < 50'000; ++i) cursor = cursor->next;
    EXPECT_EQ(cycle_collector::runs(), before);
    cursor.reset();
    cycle_collector::collect();
}

TEST_F(cycle_collector_test, a_container_that_is_being_cleared_is_not_looked_at) {
    cycle_collector::set_automatic(true);
    struct parent {
        std::list<cyclic_ptr<actor>> children;
        cyclic_ptr<parent> self;
    };
    auto p = make_cyclic<parent>();
    p->self = p;
    for (int i = 0; i < 3000; ++i) {
        p->children.push_back(make_cyclic<actor>());
        p->children.back()->at_end = [&](actor&) {
            auto copy = p;
            for (int k = 0; k < 3; ++k) make_ring<node>(2).reset();
            cycle_collector::collect();
        };
    }
    p->children.clear();
    p->self.reset();
    p.reset();
    cycle_collector::collect();
}

// What leaks, and how one gets to know of it.

TEST_F(cycle_collector_test, an_edge_that_is_not_visited_leaks_and_is_reported) {
    auto p = make_cyclic<forgetful>();
    auto q = make_cyclic<forgetful>();
    p->next = q;
    q->forgotten.push_back(p);
    forgetful* const leaked = p.get();
    p.reset();
    q.reset();
    EXPECT_EQ(cycle_collector::collect(), 0U);
    EXPECT_EQ(support::tracked::alive(), 2);
    const auto roots = cycle_collector::roots();
    ASSERT_EQ(roots.size(), 1U) << "it is taken for an owner from outside";
    EXPECT_EQ(roots[0].object, leaked);
    EXPECT_EQ(roots[0].owners, 1);
#ifdef __cpp_rtti
    EXPECT_STREQ(roots[0].type, typeid(forgetful).name());
#endif
    auto forgotten = std::move(leaked->next->forgotten);
}

TEST_F(cycle_collector_test, roots_are_what_is_owned_from_outside) {
    EXPECT_TRUE(cycle_collector::roots().empty());
    auto p = make_ring<node>(2);
    const auto copy = p;
    const auto roots = cycle_collector::roots();
    ASSERT_EQ(roots.size(), 1U);
    EXPECT_EQ(roots[0].object, p.get());
    EXPECT_EQ(roots[0].owners, 2);
    EXPECT_EQ(p.use_count(), 3);
    p->next.reset();
}

TEST_F(cycle_collector_test, trim_gives_back_what_holds_no_object) {
    std::vector<cyclic_ptr<node>> owners;
    for (int i = 0; i < 10'000; ++i) owners.push_back(make_cyclic<node>());
    owners.resize(5'000);
    cycle_collector::trim();
    for (int i = 0; i < 5'000; ++i) owners.push_back(make_cyclic<node>());
    EXPECT_EQ(cycle_collector::objects(), 10'000U);
    owners.clear();
    cycle_collector::trim();
    EXPECT_EQ(cycle_collector::objects(), 0U);
    const auto p = make_cyclic<node>();
    EXPECT_EQ(cycle_collector::objects(), 1U);
}

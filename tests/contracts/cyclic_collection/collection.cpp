// What a collector of objects that own each other in circles promises.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "families.hpp"
#include "support/callback.hpp"
#include "support/tracked.hpp"

namespace contracts {
namespace {

template <class Family>
struct node_in {
    using family = Family;

    pointer<node_in> next;
    std::vector<pointer<node_in>> others;
    support::tracked part;
};

// Does what a test tells it to when it is finalized, and when it is destroyed.
template <class Family>
struct actor_in {
    using family = Family;

    ~actor_in() {
        if (at_end) at_end(*this);
    }

    void finalize() {
        ++finalized;
        if (at_finalize) at_finalize(*this);
    }

    void trace(auto& visit) const { visit(next, others); }

    pointer<actor_in> next;
    std::vector<pointer<actor_in>> others;
    support::tracked part;
    int finalized = 0;
    support::callback<actor_in&> at_finalize;
    support::callback<actor_in&> at_end;
};

// Has an owner that no trace visits.
template <class Family>
struct forgetful_in {
    using family = Family;

    void trace(auto& visit) const { visit(next); }

    pointer<forgetful_in> next;
    std::vector<pointer<forgetful_in>> forgotten;
    support::tracked part;
};

// Has owners in all kinds of members.
template <class Family>
struct everything_in {
    using family = Family;

    std::optional<pointer<everything_in>> maybe;
    std::map<int, pointer<everything_in>> values;
    std::map<pointer<everything_in>, int> keys;
    std::list<std::pair<int, pointer<everything_in>>> pairs;
    pointer<everything_in> row[2];
    std::unique_ptr<std::vector<pointer<const everything_in>>> unique;
    support::tracked part;
};

template <class Family>
struct parent_in {
    using family = Family;

    std::list<pointer<actor_in<Family>>> children;
    pointer<parent_in> self;
};

// Makes a cycle of two objects, and collects while it alone owns them.
template <class Family>
struct part_in {
    part_in() : first(make_ring<node_in<Family>>(2)) {
        for (int i = 0; i < 2; ++i) static_cast<void>(make_ring<node_in<Family>>(2));
        Family::collect();
        second = first;
        Family::collect();
    }

    void trace(auto& visit) const { visit(first, second); }

    pointer<node_in<Family>> first;
    pointer<node_in<Family>> second;
};

// Has containers of what makes objects while it is constructed.
template <class Family>
struct grower_in {
    using family = Family;

    std::vector<part_in<Family>> parts;
    std::list<part_in<Family>> list;
    std::map<int, part_in<Family>> map;
    std::optional<part_in<Family>> maybe;
    pointer<grower_in> self;
};

// The three defects of the first cyclic pointer.

CONTRACT(cyclic_collection, a_live_cycle_is_left_alone_and_the_search_ends) {
    using node = node_in<TypeParam>;
    auto ring = make_ring<node>(2);
    auto other = ring->next;
    other.reset();
    EXPECT_EQ(TypeParam::collect(), 0U);
    EXPECT_EQ(support::tracked::alive(), 2);
    EXPECT_EQ(ring->next->next, ring);
    ring.reset();
    EXPECT_EQ(TypeParam::collect(), 2U);
}

CONTRACT(cyclic_collection, counts_of_what_lives_are_as_before) {
    using node = node_in<TypeParam>;
    auto p = make_ring<node>(1);
    auto second = p;
    auto third = p;
    p->others = {p, p};
    EXPECT_EQ(p.use_count(), 6);
    third.reset();
    EXPECT_EQ(TypeParam::collect(), 0U);
    EXPECT_EQ(p.use_count(), 5);
    p->others.clear();
    EXPECT_EQ(p.use_count(), 3);
    p.reset();
    second.reset();
    EXPECT_EQ(TypeParam::collect(), 1U);
}

CONTRACT(cyclic_collection, edges_in_a_container_are_seen) {
    using node = node_in<TypeParam>;
    auto p = make<node>();
    p->others.push_back(make<node>());
    p->others[0]->others.push_back(p);
    p.reset();
    EXPECT_EQ(TypeParam::collect(), 2U);
}

// What is garbage.

CONTRACT(cyclic_collection, a_cycle_is_destroyed_once_it_has_no_owner_outside) {
    using node = node_in<TypeParam>;
    auto ring = make_ring<node>(3);
    const pointer<node> root = ring->next;
    ring.reset();
    EXPECT_EQ(TypeParam::collect(), 0U);
    const_cast<pointer<node>&>(root).reset();
    EXPECT_EQ(TypeParam::collect(), 3U);
}

CONTRACT(cyclic_collection, what_a_cycle_owns_is_destroyed_with_it) {
    using node = node_in<TypeParam>;
    auto ring = make_ring<node>(2);
    ring->others.push_back(make<node>());
    ring->others[0]->next = make_ring<node>(2);
    const auto kept = make<node>();
    ring->others.push_back(kept);
    ring.reset();
    EXPECT_EQ(TypeParam::collect(), 5U);
    EXPECT_EQ(kept.use_count(), 1);
}

CONTRACT(cyclic_collection, what_an_owned_object_leads_to_is_kept) {
    using node = node_in<TypeParam>;
    auto root = make<node>();
    auto ring = make_ring<node>(3);
    root->next = ring;
    ring.reset();
    EXPECT_EQ(TypeParam::collect(), 0U);
    EXPECT_EQ(support::tracked::alive(), 4);
    root.reset();
    EXPECT_EQ(support::tracked::alive(), 3) << "the root destroyed promptly";
    EXPECT_EQ(TypeParam::collect(), 3U);
}

CONTRACT(cyclic_collection, a_candidate_may_get_owners_again) {
    using node = node_in<TypeParam>;
    auto ring = make_ring<node>(2);
    const weak_pointer<node> weak = ring;
    ring.reset();
    ring = weak.lock();
    EXPECT_EQ(TypeParam::collect(), 0U);
    ring.reset();
    EXPECT_EQ(TypeParam::collect(), 2U);
}

CONTRACT(cyclic_collection, edges_in_all_kinds_of_members_are_seen) {
    using everything = everything_in<TypeParam>;
    auto p = make<everything>();
    p->maybe = p;
    p->values[1] = p;
    p->keys[p] = 1;
    p->pairs.emplace_back(1, p);
    p->row[1] = p;
    p->unique = std::make_unique<std::vector<pointer<const everything>>>();
    p->unique->push_back(p);
    EXPECT_EQ(p.use_count(), 7);
    p.reset();
    EXPECT_EQ(TypeParam::collect(), 1U);
}

// What destructors may do.

CONTRACT(cyclic_collection, a_destructor_in_a_cycle_finds_its_pointers_into_the_cycle_null_and_others_whole) {
    using actor = actor_in<TypeParam>;
    auto ring = make_ring<actor>(2);
    auto outside = make<actor>();
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
    EXPECT_EQ(TypeParam::collect(), 2U);
    EXPECT_TRUE(looked);
    EXPECT_EQ(outside.use_count(), 1);
}

CONTRACT(cyclic_collection, destructors_may_make_copy_and_release_objects_and_collect) {
    using actor = actor_in<TypeParam>;
    auto ring = make_ring<actor>(2);
    auto kept = make<actor>();
    pointer<actor> copy;
    pointer<actor> made;
    ring->others = {kept};
    ring->at_end = [&](actor& dying) {
        copy = dying.others[0];
        kept.reset();
        made = make<actor>();
        make_ring<actor>(3).reset();
        EXPECT_EQ(TypeParam::collect(), 0U) << "not now";
    };
    ring.reset();
    EXPECT_EQ(TypeParam::collect(), 5U) << "with the ring that the destructor left";
    EXPECT_TRUE(made);
    EXPECT_EQ(copy.use_count(), 1);
    EXPECT_EQ(support::tracked::alive(), 2);
}

CONTRACT(cyclic_collection, a_destructor_outside_of_a_collection_may_ask_for_one) {
    using node = node_in<TypeParam>;
    using actor = actor_in<TypeParam>;
    auto p = make<actor>();
    make_ring<node>(2).reset();
    p->at_end = [](actor&) { EXPECT_EQ(TypeParam::collect(), 0U); };
    p.reset();
    EXPECT_EQ(support::tracked::alive(), 2);
    EXPECT_EQ(TypeParam::collect(), 2U);
}

CONTRACT(cyclic_collection, a_destructor_may_release_a_long_chain) {
    using node = node_in<TypeParam>;
    using actor = actor_in<TypeParam>;
    auto ring = make_ring<actor>(2);
    pointer<node> chain;
    for (int i = 0; i < 100'000; ++i) {
        auto added = make<node>();
        added->next = std::move(chain);
        chain = std::move(added);
    }
    ring->at_end = [&chain](actor&) { chain.reset(); };
    ring.reset();
    EXPECT_EQ(TypeParam::collect(), 2U);
    EXPECT_EQ(support::tracked::alive(), 0) << "all of it destroyed before collect returned";
}

// Finalization and weak pointers.

CONTRACT(cyclic_collection, weak_pointers_expire_before_anything_is_finalized) {
    using actor = actor_in<TypeParam>;
    auto ring = make_ring<actor>(2);
    const weak_pointer<actor> first = ring;
    const weak_pointer<actor> second = ring->next;
    int expired = 0;
    const auto look = [&](actor&) { expired += first.expired() && second.expired() ? 1 : 0; };
    ring->at_finalize = ring->next->at_finalize = look;
    ring.reset();
    EXPECT_EQ(TypeParam::collect(), 2U);
    EXPECT_EQ(expired, 2);
}

CONTRACT(cyclic_collection, all_are_whole_while_they_are_finalized) {
    using actor = actor_in<TypeParam>;
    auto ring = make_ring<actor>(3);
    int whole = 0;
    for (actor* each = ring.get(); whole < 3; each = each->next.get(), ++whole) {
        each->at_finalize = [](actor& dying) { EXPECT_EQ(dying.next->next->next.get(), &dying); };
    }
    ring.reset();
    EXPECT_EQ(TypeParam::collect(), 3U);
}

CONTRACT(cyclic_collection, what_finalization_gives_an_owner_lives_on_and_is_finalized_once) {
    using actor = actor_in<TypeParam>;
    auto ring = make_ring<actor>(2);
    pointer<actor> rescued;
    ring->at_finalize = [&rescued](actor& dying) { rescued = dying.next; };
    ring->others.push_back(make_ring<actor>(1));
    const weak_pointer<actor> weak = ring;
    ring.reset();
    EXPECT_EQ(TypeParam::collect(), 0U);
    ASSERT_TRUE(rescued);
    EXPECT_EQ(support::tracked::alive(), 3);
    EXPECT_EQ(rescued->finalized, 1);
    EXPECT_EQ(rescued->next->next, rescued) << "whole";
    EXPECT_TRUE(weak.expired()) << "for good";
    rescued->next->at_finalize = [](actor&) { ADD_FAILURE() << "twice"; };
    rescued.reset();
    EXPECT_EQ(TypeParam::collect(), 3U);
}

CONTRACT(cyclic_collection, finalization_may_take_the_cycle_apart) {
    using actor = actor_in<TypeParam>;
    auto ring = make_ring<actor>(3);
    ring->at_finalize = [](actor& dying) {
        dying.next->next.reset();
        dying.next.reset();
    };
    ring.reset();
    EXPECT_EQ(TypeParam::collect(), 3U);
}

CONTRACT(cyclic_collection, what_finalization_adds_to_the_cycle_is_finalized_and_destroyed_with_it) {
    using actor = actor_in<TypeParam>;
    auto ring = make_ring<actor>(2);
    int finalized = 0;
    ring->at_finalize = [&finalized](actor& dying) {
        auto added = make<actor>();
        added->at_finalize = [&finalized](actor&) { ++finalized; };
        added->next = dying.next;
        dying.others.push_back(added);
    };
    ring.reset();
    EXPECT_EQ(TypeParam::collect(), 3U);
    EXPECT_EQ(finalized, 1);
}

CONTRACT(cyclic_collection, finalization_may_destroy_what_it_has_made_a_candidate) {
    using actor = actor_in<TypeParam>;
    auto ring = make_ring<actor>(1);
    auto outside = make<actor>();
    ring->at_finalize = [&outside](actor& dying) {
        static_cast<void>(pointer<actor>(outside));
        auto added = make<actor>();
        added->at_finalize = [&outside](actor&) { outside.reset(); };
        added->next = dying.next;
        dying.others.push_back(added);
    };
    ring.reset();
    EXPECT_EQ(TypeParam::collect(), 2U);
    EXPECT_EQ(support::tracked::destroyed(), 3);
}

CONTRACT(cyclic_collection, finalization_that_adds_for_ever_ends_a_run_and_loses_nothing) {
    using actor = actor_in<TypeParam>;
    auto ring = make_ring<actor>(1);
    bool more = true;
    support::callback<actor&> add = [&](actor& dying) {
        if (!more) return;
        auto added = make<actor>();
        added->at_finalize = add;
        added->next = dying.next;
        dying.next = added;
    };
    ring->at_finalize = add;
    ring.reset();
    EXPECT_EQ(TypeParam::collect(), 0U);
    more = false;
    EXPECT_EQ(TypeParam::collect(), 1002U) << "the first, and those of 1,001 calls of finalize()";
}

CONTRACT(cyclic_collection, an_object_that_is_destroyed_promptly_is_finalized_once) {
    using actor = actor_in<TypeParam>;
    auto p = make<actor>();
    int finalized = 0;
    p->at_finalize = [&](actor&) { ++finalized; };
    p.reset();
    EXPECT_EQ(finalized, 1);
    EXPECT_EQ(support::tracked::destroyed(), 1);
}

CONTRACT(cyclic_collection, a_chain_whose_objects_release_in_finalization_is_destroyed_in_constant_stack) {
    using actor = actor_in<TypeParam>;
    pointer<actor> chain;
    for (int i = 0; i < 100'000; ++i) {
        auto added = make<actor>();
        added->next = std::move(chain);
        added->at_finalize = [](actor& dying) { dying.next.reset(); };
        added->at_end = [](actor& dying) { EXPECT_EQ(dying.finalized, 1); };
        chain = std::move(added);
    }
    chain.reset();
    EXPECT_EQ(support::tracked::destroyed(), 100'000);
}

// When it collects by itself.

CONTRACT(cyclic_collection, released_rings_do_not_pile_up) {
    using node = node_in<TypeParam>;
    TypeParam::set_automatic(true);
    int most = 0;
    for (int i = 0; i < 20'000; ++i) {
        make_ring<node>(5).reset();
        most = std::max(most, support::tracked::alive());
    }
    EXPECT_LT(most, 20'000);
    TypeParam::collect();
}

CONTRACT(cyclic_collection, a_program_that_only_moves_pointers_does_not_collect) {
    using node = node_in<TypeParam>;
    TypeParam::set_automatic(true);
    auto cursor = make_ring<node>(5000);
    make_ring<node>(2).reset();
    for (int i = 0; i < 50'000; ++i) cursor = cursor->next;
    EXPECT_EQ(support::tracked::alive(), 5002);
    cursor.reset();
    EXPECT_EQ(TypeParam::collect(), 5002U);
}

CONTRACT(cyclic_collection, every_run_is_counted) {
    using node = node_in<TypeParam>;
    const std::size_t before = TypeParam::runs();
    TypeParam::collect();
    EXPECT_EQ(TypeParam::runs(), before + 1);
    TypeParam::set_automatic(true);
    for (int i = 0; i < 20'000; ++i) make_ring<node>(5).reset();
    EXPECT_GT(TypeParam::runs(), before + 2);
    TypeParam::collect();
}

CONTRACT(cyclic_collection, a_cursor_on_a_living_ring_causes_no_run) {
    using node = node_in<TypeParam>;
    TypeParam::set_automatic(true);
    auto cursor = make_ring<node>(5000);
    const std::size_t before = TypeParam::runs();
    for (int i = 0; i < 50'000; ++i) cursor = cursor->next;
    EXPECT_EQ(TypeParam::runs(), before);
    cursor.reset();
    TypeParam::collect();
}

CONTRACT(cyclic_collection, a_container_that_is_being_cleared_is_not_traced) {
    using node = node_in<TypeParam>;
    using actor = actor_in<TypeParam>;
    TypeParam::set_automatic(true);
    using parent = parent_in<TypeParam>;
    auto p = make<parent>();
    p->self = p;
    for (int i = 0; i < 3000; ++i) {
        p->children.push_back(make<actor>());
        p->children.back()->at_end = [&](actor&) {
            auto copy = p;
            for (int k = 0; k < 3; ++k) make_ring<node>(2).reset();
            TypeParam::collect();
        };
    }
    p->children.clear();
    p->self.reset();
    p.reset();
    TypeParam::collect();
}

// What leaks, and how one gets to know of it.

CONTRACT(cyclic_collection, a_container_may_grow_by_elements_that_make_objects) {
    auto owner = make<grower_in<TypeParam>>();
    owner->self = owner;
    owner->parts.resize(3);
    for (int i = 0; i < 5; ++i) {
        owner->parts.emplace_back();
        owner->parts.emplace(owner->parts.begin());
        owner->parts.resize(owner->parts.size() + 3);
        owner->list.emplace_front();
        owner->map.try_emplace(i);
        owner->maybe.emplace();
    }
    const std::size_t parts = 28 + 5 + 5 + 1;
    EXPECT_EQ(TypeParam::objects(), 1 + 2 * parts);
    for (const auto& part : owner->parts) EXPECT_EQ(part.first->next->next, part.second);
    owner.reset();
    EXPECT_EQ(TypeParam::collect(), 1 + 2 * parts);
}

CONTRACT(cyclic_collection, an_edge_that_is_not_visited_leaks_and_is_reported) {
    using forgetful = forgetful_in<TypeParam>;
    auto p = make<forgetful>();
    auto q = make<forgetful>();
    p->next = q;
    q->forgotten.push_back(p);
    forgetful* const leaked = p.get();
    p.reset();
    q.reset();
    EXPECT_EQ(TypeParam::collect(), 0U);
    EXPECT_EQ(support::tracked::alive(), 2);
    const auto roots = TypeParam::roots();
    ASSERT_EQ(roots.size(), 1U) << "it is taken for an owner from outside";
    EXPECT_EQ(roots[0].object, leaked);
    EXPECT_EQ(roots[0].owners, 1);
    EXPECT_NE(std::string_view(roots[0].type).find("forgetful"), std::string_view::npos);
    auto forgotten = std::move(leaked->next->forgotten);
}

CONTRACT(cyclic_collection, roots_are_what_is_owned_from_outside) {
    using node = node_in<TypeParam>;
    EXPECT_TRUE(TypeParam::roots().empty());
    auto p = make_ring<node>(2);
    const auto copy = p;
    const auto roots = TypeParam::roots();
    ASSERT_EQ(roots.size(), 1U);
    EXPECT_EQ(roots[0].object, p.get());
    EXPECT_EQ(roots[0].owners, 2);
    EXPECT_EQ(p.use_count(), 3);
    p->next.reset();
}

CONTRACT(cyclic_collection, trim_gives_back_what_holds_no_object) {
    using node = node_in<TypeParam>;
    std::vector<pointer<node>> owners;
    for (int i = 0; i < 10'000; ++i) owners.push_back(make<node>());
    owners.resize(5'000);
    TypeParam::trim();
    for (int i = 0; i < 5'000; ++i) owners.push_back(make<node>());
    EXPECT_EQ(TypeParam::objects(), 10'000U);
    owners.clear();
    TypeParam::trim();
    EXPECT_EQ(TypeParam::objects(), 0U);
    const auto p = make<node>();
    EXPECT_EQ(TypeParam::objects(), 1U);
}

}  // namespace
}  // namespace contracts

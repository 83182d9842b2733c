// Garbage that appears only when other garbage is destroyed: what that owns behind something that no trace looks
// through, and what its destructors and finalizers make.

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "families.hpp"
#include "support/callback.hpp"
#include "support/tracked.hpp"

namespace contracts {
namespace {

constexpr int deep = 20'000;

// Part of a ring. It owns an older one through a std::shared_ptr.
template <class Family>
struct layer_in {
    using family = Family;
    struct link {
        pointer<layer_in> to;
    };

    ~layer_in() {
        if (at_end) at_end(*this);
    }

    void trace(auto& visit) const { visit(next, others); }

    pointer<layer_in> next;
    std::vector<pointer<layer_in>> others;
    std::shared_ptr<link> older;
    support::callback<layer_in&> at_end;
    support::tracked part;
};

// Returns: an object of the outermost of nested rings.
template <class Family>
pointer<layer_in<Family>> make_nested(int rings, int length, support::callback<layer_in<Family>&> at_end = {}) {
    using layer = layer_in<Family>;
    pointer<layer> outermost;
    for (int i = 0; i < rings; ++i) {
        auto ring = make_ring<layer>(length);
        ring->at_end = at_end;
        if (outermost) ring->older = std::make_shared<typename layer::link>(std::move(outermost));
        outermost = std::move(ring);
    }
    return outermost;
}

// Makes another one, at most so often.
template <class Family>
struct ancestor_in {
    using family = Family;
    enum class way { into_its_ring, in_finalize, in_destructor };

    ancestor_in(way given, int more) : how(given), left(more) {}

    ~ancestor_in() {
        if (how == way::in_destructor) make_another();
    }

    void finalize() {
        if (how != way::in_destructor) make_another();
    }

    void make_another() {
        if (left == 0) return;
        auto made = contracts::make<ancestor_in>(how, left - 1);
        made->next = how == way::into_its_ring ? std::move(next) : made;
        if (how == way::into_its_ring) next = std::move(made);
    }

    void trace(auto& visit) const { visit(next); }

    pointer<ancestor_in> next;
    support::tracked part;
    way how;
    int left;
};

template <class Family>
void make_ancestor(typename ancestor_in<Family>::way how, int generations) {
    auto first = make<ancestor_in<Family>>(how, generations);
    first->next = first;
}

template <class Family>
constexpr auto all_ways = {ancestor_in<Family>::way::into_its_ring, ancestor_in<Family>::way::in_finalize,
                           ancestor_in<Family>::way::in_destructor};

}  // namespace

CONTRACT(nested_garbage, one_collection_destroys_rings_at_any_depth) {
    for (const int length : {1, 2, 3}) {
        make_nested<TypeParam>(deep, length).reset();
        EXPECT_EQ(TypeParam::collect(), static_cast<std::size_t>(deep * length));
        EXPECT_EQ(support::tracked::alive(), 0);
    }
}

CONTRACT(nested_garbage, rings_at_any_depth_end_with_what_they_are_in) {
    for (const bool automatic : {true, false}) {
        TypeParam::in_another([automatic] {
            TypeParam::set_automatic(automatic);
            make_nested<TypeParam>(deep, 2).reset();
        });
        EXPECT_EQ(support::tracked::alive(), 0);
    }
}

CONTRACT(nested_garbage, a_ring_may_be_owned_in_both_ways) {
    using layer = layer_in<TypeParam>;
    auto ring = make_ring<layer>(2);
    ring->next->others = {make_ring<layer>(2)};
    ring->older = std::make_shared<typename layer::link>(ring->next->others[0]);
    ring.reset();
    EXPECT_EQ(TypeParam::collect(), 4U);
}

CONTRACT(nested_garbage, rings_that_lead_to_what_lives_are_destroyed) {
    using layer = layer_in<TypeParam>;
    const auto alive = make_ring<layer>(100);
    const support::callback<layer&> adds_an_owner = [&alive](layer&) { alive->others.push_back(alive); };
    auto nested = make_nested<TypeParam>(50, 2, adds_an_owner);
    for (layer* each = nested.get(); each != nullptr; each = each->older ? each->older->to.get() : nullptr)
        each->others = {alive, alive->next};
    nested.reset();
    EXPECT_EQ(TypeParam::collect(), 100U);
    EXPECT_EQ(support::tracked::alive(), 100);
    EXPECT_EQ(alive.use_count(), 52);
    alive->others.clear();
    alive->next.reset();
}

CONTRACT(nested_garbage, weak_pointers_to_inner_rings_expire_when_those_are_garbage) {
    using layer = layer_in<TypeParam>;
    auto nested = make_nested<TypeParam>(3, 2);
    const weak_pointer<layer> inner = nested->older->to->older->to;
    pointer<layer> rescued;
    nested->at_end = [&](layer& dying) { rescued = dying.older->to->older->to; };
    nested.reset();
    EXPECT_EQ(TypeParam::collect(), 4U);
    EXPECT_FALSE(inner.expired());
    EXPECT_EQ(rescued, inner.lock());
    rescued.reset();
    EXPECT_EQ(TypeParam::collect(), 2U);
    EXPECT_TRUE(inner.expired());
}

CONTRACT(nested_garbage, steps_destroy_all_of_it) {
    make_nested<TypeParam>(100, 2).reset();
    for (int i = 0; i < 100'000 && support::tracked::alive() != 0; ++i) TypeParam::collect(50);
    EXPECT_EQ(support::tracked::alive(), 0);
}

CONTRACT(nested_garbage, destructors_at_any_depth_may_make_objects) {
    using layer = layer_in<TypeParam>;
    testing::internal::CaptureStderr();
    TypeParam::in_another([] {
        auto log = make<layer>();
        const support::callback<layer&> logs = [log = log.get()](layer&) {
            make_ring<layer>(1).reset();
            log->others.push_back(make<layer>());
        };
        make_nested<TypeParam>(deep, 1, logs).reset();
        EXPECT_EQ(TypeParam::collect(), static_cast<std::size_t>(2 * deep));
        EXPECT_EQ(support::tracked::alive(), 1 + deep);
    });
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(support::tracked::alive(), 0);
}

// Generations.

CONTRACT(nested_garbage, generations_of_finalizers_and_destructors_end_with_what_they_are_in) {
    for (const auto how : all_ways<TypeParam>) {
        for (const int generations : {1, 8, 9, 900}) {
            testing::internal::CaptureStderr();
            TypeParam::in_another([=] { make_ancestor<TypeParam>(how, generations); });
            EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
            EXPECT_EQ(support::tracked::alive(), 0) << generations;
        }
    }
}

CONTRACT(nested_garbage, one_collection_destroys_generations) {
    for (const auto how : all_ways<TypeParam>) {
        make_ancestor<TypeParam>(how, 900);
        EXPECT_EQ(TypeParam::collect(), 901U);
        EXPECT_EQ(support::tracked::alive(), 0);
    }
}

CONTRACT(nested_garbage, after_a_thousand_generations_a_collection_names_the_type_and_stops) {
    for (const auto how : all_ways<TypeParam>) {
        testing::internal::CaptureStderr();
        make_ancestor<TypeParam>(how, 1500);
        const auto first = TypeParam::collect();
        const std::string told = testing::internal::GetCapturedStderr();
        EXPECT_EQ(first, how == ancestor_in<TypeParam>::way::into_its_ring ? 0U : 1001U);
        EXPECT_NE(told.find("1000 generations"), std::string::npos) << told;
        EXPECT_NE(told.find("ancestor_in"), std::string::npos) << told;
        EXPECT_EQ(told.find("generations"), told.rfind("generations")) << "told once";
        EXPECT_EQ(first + TypeParam::collect(), 1501U) << "nothing is lost";
    }
}

CONTRACT(nested_garbage, generations_without_end_do_not_keep_a_thread_or_heap_from_ending) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    for (const auto how : all_ways<TypeParam>) {
        const auto work = [how] {
            // A living object, and inner garbage of the same age, change nothing.
            static_cast<void>(make_nested<TypeParam>(100, 2));
            make_ancestor<TypeParam>(how, -1);
        };
        EXPECT_EXIT((TypeParam::in_another(work), std::_Exit(0)), testing::ExitedWithCode(0), "ancestor_in");
    }
}

}  // namespace contracts

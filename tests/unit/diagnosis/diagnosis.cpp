#include <gtest/gtest.h>
#include <freehold/diagnosis/diagnosis.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/ref_counted.hpp>
#include <freehold/pointers/weak_ptr.hpp>

#include "support/text_of.hpp"

using freehold::find_cycles;
using freehold::make_diagnosed;
using freehold::shared_ptr;
using freehold::who_owns;
using support::text_of;

namespace {

struct node {
    int value = 0;
    std::vector<shared_ptr<node>> owned;
    freehold::weak_ptr<node> weak;
};

struct standard_node {
    std::shared_ptr<standard_node> owned;
};

struct local_node {
    freehold::local_shared_ptr<local_node> owned;
};

struct counted_node : freehold::ref_counted<counted_node> {
    void trace(auto& visit) const { visit(owned); }

    freehold::intrusive_ptr<counted_node> owned;
};

struct refusing {
    refusing() { throw std::invalid_argument("refused"); }
};

std::size_t count_of(const std::string& part, const std::string& text) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

// Nodes that the test releases while they own each other; they are taken apart at its end.
class diagnosis : public testing::Test {
protected:
    void TearDown() override {
        for (const freehold::weak_ptr<node>& each : made_) {
            if (const auto found = each.lock()) found->owned.clear();
        }
        EXPECT_EQ(freehold::find_cycles().size(), 0U);
    }

    shared_ptr<node> make() {
        auto made = make_diagnosed<node>();
        made_.push_back(made);
        return made;
    }

private:
    std::vector<freehold::weak_ptr<node>> made_;
};

}  // namespace

TEST_F(diagnosis, owners_in_diagnosed_objects_are_found) {
    const auto a = make();
    const auto b = make();
    const auto c = make();
    a->owned = {c};
    b->owned = {a, c};
    const auto owners = who_owns(c.get());
    ASSERT_EQ(owners.size(), 2U);
    const auto& by_b = owners[0].object == b.get() ? owners[0] : owners[1];
    EXPECT_EQ(by_b.object, b.get());
    EXPECT_EQ(by_b.place, 2U);
    EXPECT_EQ(who_owns(b.get()).size(), 0U);
    b->owned.clear();
}

TEST_F(diagnosis, an_address_within_an_object_stands_for_it) {
    const auto a = make();
    const auto b = make();
    a->owned = {b};
    EXPECT_EQ(who_owns(&b->weak).size(), 1U);
}

TEST_F(diagnosis, no_owner_is_known_of_an_object_that_is_not_diagnosed) {
    const int object = 0;
    EXPECT_TRUE(who_owns(&object).empty());
}

TEST_F(diagnosis, objects_that_only_own_each_other_are_a_cycle) {
    {
        const auto a = make();
        const auto b = make();
        a->owned = {b};
        b->owned = {a};
        EXPECT_TRUE(find_cycles().empty()) << "they are owned from here";
    }
    const auto cycles = find_cycles();
    ASSERT_EQ(cycles.size(), 1U);
    EXPECT_EQ(cycles[0].size(), 2U);
}

TEST_F(diagnosis, an_object_that_owns_itself_is_a_cycle_of_one) {
    {
        const auto a = make();
        a->owned = {a};
    }
    const auto cycles = find_cycles();
    ASSERT_EQ(cycles.size(), 1U);
    EXPECT_EQ(cycles[0].size(), 1U);
}

TEST_F(diagnosis, what_a_cycle_owns_beside_it_is_no_part_of_it) {
    {
        const auto a = make();
        const auto b = make();
        a->owned = {make(), b};
        b->owned = {a, make()};
    }
    const auto cycles = find_cycles();
    ASSERT_EQ(cycles.size(), 1U);
    EXPECT_EQ(cycles[0].size(), 2U);
    EXPECT_EQ(cycles[0][0].place + cycles[0][1].place, 3U) << "the second owner in a, the first in b";
}

TEST_F(diagnosis, of_cycles_that_share_objects_a_shortest_one_through_the_first_object_is_reported) {
    {
        const auto a = make();
        const auto b = make();
        const auto c = make();
        a->owned = {b, c};
        b->owned = {c};
        c->owned = {a};
    }
    const auto cycles = find_cycles();
    ASSERT_EQ(cycles.size(), 1U);
    EXPECT_EQ(cycles[0].size(), 2U);
}

TEST_F(diagnosis, separate_cycles_are_reported_one_by_one) {
    for (int i = 0; i < 3; ++i) {
        const auto a = make();
        a->owned = {a};
    }
    EXPECT_EQ(find_cycles().size(), 3U);
}

TEST_F(diagnosis, a_cycle_that_leads_to_another_is_reported_beside_it) {
    {
        const auto a = make();
        const auto b = make();
        a->owned = {a, b};
        b->owned = {b};
    }
    EXPECT_EQ(find_cycles().size(), 2U);
}

TEST_F(diagnosis, many_cycles_and_what_they_own_are_reported_in_linear_time) {
    shared_ptr<node> last;
    for (int i = 0; i < 50'000; ++i) {
        const auto a = make();
        a->owned = {a};
        if (last) a->owned.push_back(last);
        last = make();
        last->owned = {a};
    }
    last.reset();
    EXPECT_EQ(find_cycles().size(), 50'000U);
}

TEST_F(diagnosis, what_somebody_outside_owns_is_in_no_cycle) {
    const auto a = make();
    {
        const auto b = make();
        a->owned = {b};
        b->owned = {a};
    }
    EXPECT_TRUE(find_cycles().empty());
}

TEST_F(diagnosis, a_weak_pointer_is_no_owner) {
    const auto a = make();
    a->weak = a;
    EXPECT_TRUE(find_cycles().empty());
    EXPECT_TRUE(who_owns(a.get()).empty());
}

TEST_F(diagnosis, a_destroyed_object_is_forgotten) {
    auto a = make();
    const auto b = make();
    a->owned = {b};
    a.reset();
    EXPECT_TRUE(who_owns(b.get()).empty());
}

TEST_F(diagnosis, a_constructor_that_throws_leaves_nothing_known) {
    EXPECT_THROW(static_cast<void>(make_diagnosed<refusing>()), std::invalid_argument);
    EXPECT_EQ(count_of("label", text_of([](std::FILE* file) { freehold::draw_ownership(file); })), 0U);
}

TEST_F(diagnosis, the_standards_pointers_are_understood) {
    std::weak_ptr<standard_node> weak;
    {
        const auto a = std::allocate_shared<standard_node>(freehold::diagnosing_allocator<standard_node>());
        a->owned = a;
        weak = a;
    }
    EXPECT_EQ(find_cycles().size(), 1U);
    weak.lock()->owned.reset();
    EXPECT_TRUE(weak.expired());
}

TEST_F(diagnosis, local_pointers_are_understood) {
    freehold::local_weak_ptr<local_node> weak;
    {
        const auto a = freehold::allocate_local_shared<local_node>(freehold::diagnosing_allocator<local_node>());
        a->owned = a;
        weak = a;
    }
    EXPECT_EQ(find_cycles().size(), 1U);
    weak.lock()->owned.reset();
}

TEST_F(diagnosis, objects_that_bring_their_count_are_understood) {
    freehold::diagnosing_allocator<counted_node> allocator;
    counted_node* const place = allocator.allocate(1);
    allocator.construct(place);
    {
        const freehold::intrusive_ptr<counted_node> keep(place);
        const freehold::intrusive_ptr<counted_node> owner(place);
        place->owned = owner;
        EXPECT_EQ(who_owns(place).size(), 1U);
        EXPECT_TRUE(find_cycles().empty());
        static_cast<void>(place->owned.detach());
        intrusive_ptr_add_ref(place);  // so that nobody deletes what the allocator gave
    }
    allocator.destroy(place);
    allocator.deallocate(place, 1);
}

TEST_F(diagnosis, a_report_names_each_owner_in_a_cycle) {
    EXPECT_EQ(text_of([](std::FILE* file) { freehold::report_cycles(file); }), "");
    {
        const auto a = make();
        const auto b = make();
        a->owned = {b};
        b->owned = {a};
    }
    const std::string text = text_of([](std::FILE* file) { EXPECT_EQ(freehold::report_cycles(file), 1U); });
    EXPECT_EQ(count_of(" owns, by its owner 1, ", text), 2U) << text;
}

TEST_F(diagnosis, a_report_of_owners_says_how_many_are_elsewhere) {
    const auto a = make();
    const auto b = make();
    const auto elsewhere = b;
    a->owned = {b};
    const std::string text = text_of([&](std::FILE* file) { freehold::report_owners(b.get(), file); });
    EXPECT_EQ(count_of("by owner 1 in ", text), 1U) << text;
    EXPECT_EQ(count_of("by 2 elsewhere", text), 1U) << text;
}

TEST_F(diagnosis, a_drawing_has_all_objects_and_shows_what_leaks) {
    const auto held = make();
    {
        const auto a = make();
        a->owned = {a, held};
    }
    const std::string text = text_of([](std::FILE* file) { freehold::draw_ownership(file); });
    EXPECT_EQ(count_of("label", text), 2U) << text;
    EXPECT_EQ(count_of("->", text), 2U) << text;
    EXPECT_EQ(count_of("color=red", text), 1U) << text;
}

TEST_F(diagnosis, a_chain_of_many_objects_is_followed_without_recursion_and_in_linear_time) {
    shared_ptr<node> first = make();
    shared_ptr<node> last = first;
    for (int i = 0; i < 200'000; ++i) {
        auto next = make();
        last->owned = {next};
        last = next;
    }
    EXPECT_TRUE(find_cycles().empty());
    last->owned = {first};
    first.reset();
    last.reset();
    const auto cycles = find_cycles();
    ASSERT_EQ(cycles.size(), 1U);
    EXPECT_EQ(cycles[0].size(), 200'001U);
}

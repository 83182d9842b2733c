// cycle_search: what is cut off from a large living tree is found without a visit to all of it, and what a program does
// between the steps of a search hides no garbage for ever.

#include <gtest/gtest.h>
#include <freehold/cyclic/cycle_collector.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "support/effort.hpp"

using freehold::cycle_collector;
using freehold::cyclic_ptr;
using freehold::make_cyclic;

namespace {

struct node {
    std::vector<cyclic_ptr<node>> children = {};
    cyclic_ptr<node> parent = nullptr;
};

cyclic_ptr<node> grow(int height) {
    cyclic_ptr<node> made = make_cyclic<node>();
    for (int i = 0; height > 0 && i < 2; ++i) {
        cyclic_ptr<node> child = grow(height - 1);
        child->parent = made;
        made->children.push_back(std::move(child));
    }
    return made;
}

void take_apart(const cyclic_ptr<node>& top) {
    for (const cyclic_ptr<node>& child : top->children) take_apart(child);
    top->parent.reset();
}

class cycle_search_test : public testing::Test {
protected:
    cycle_search_test() {
        cycle_collector::set_automatic(false);
        cycle_collector::on_collection(
            [](const freehold::cyclic_collection& done) { visited += done.visited_objects; });
    }

    ~cycle_search_test() override {
        take_apart(tree);
        tree.reset();
        cycle_collector::collect();
        EXPECT_EQ(cycle_collector::objects(), 0U);
        cycle_collector::on_collection(nullptr);
        cycle_collector::set_automatic(true);
    }

    static inline std::size_t visited = 0;

    cyclic_ptr<node> tree = grow(height);

    static constexpr int height = 11;
    static constexpr std::size_t nodes = (std::size_t{2} << height) - 1;
    static constexpr std::size_t step = nodes / 8;
};

}  // namespace

TEST_F(cycle_search_test, a_dead_subtree_is_found_around_its_root) {
    cyclic_ptr<node> dying = tree->children[0]->children[1]->children[0]->children[1];
    const std::size_t living = nodes - ((std::size_t{2} << (height - 4)) - 1);
    dying->parent->children.pop_back();
    dying.reset();
    EXPECT_EQ(cycle_collector::collect(step), nodes - living) << "a search takes more steps";
    EXPECT_EQ(cycle_collector::objects(), living);
}

TEST_F(cycle_search_test, a_dead_subtree_is_no_loss_for_its_living_parent) {
    cyclic_ptr<node> dying = tree->children[0]->children[1]->children[0];
    node& parent = *dying->parent;
    cyclic_ptr<node>(dying->parent).reset();
    parent.children.erase(parent.children.begin());
    dying.reset();
    const std::size_t before = visited;
    const std::size_t destroyed = cycle_collector::collect(step);
    EXPECT_NE(destroyed, 0U);
    EXPECT_EQ(visited - before, destroyed);
}

TEST_F(cycle_search_test, a_living_object_that_lost_a_variable_costs_few_visits) {
    cyclic_ptr<node> one = tree->children[0]->children[1];
    cyclic_ptr<node> other = one;
    one.reset();
    other.reset();
    const std::size_t before = visited;
    EXPECT_EQ(cycle_collector::collect(step), 0U);
    EXPECT_NE(visited, before);
    EXPECT_LE(visited - before, 32U);
}

TEST_F(cycle_search_test, a_cursor_is_not_looked_around) {
    cyclic_ptr<node> at = tree;
    while (!at->children.empty()) at = cyclic_ptr<node>(at->children[0]);
    const std::size_t before = visited;
    EXPECT_EQ(cycle_collector::collect(step), 0U);
    EXPECT_EQ(visited, before);
}

// Nothing tells that these rings lost their last owner from outside: they wait for a search. Some are examined before.
TEST_F(cycle_search_test, garbage_that_is_made_at_any_moment_of_a_search_is_found) {
    for (std::size_t links : {1U, 2U}) {
        for (int steps = 0; steps < 150; ++steps) {
            cyclic_ptr<node>(tree->children[0]).reset();
            for (int i = 0; i < steps; ++i) cycle_collector::collect(step / 4);
            cyclic_ptr<node> dying = make_cyclic<node>();
            dying->parent = tree;
            for (std::size_t i = 0; i < links; ++i) dying->children.push_back(dying);
            dying.reset();
            cycle_collector::collect(1);
            for (int i = 0; i < 100 && cycle_collector::objects() != nodes; ++i) cycle_collector::collect(step);
            ASSERT_EQ(cycle_collector::objects(), nodes) << links << " links, after " << steps << " steps";
        }
    }
}

namespace {

struct loop {
    cyclic_ptr<loop> one = nullptr;
    cyclic_ptr<loop> other = nullptr;
};

}  // namespace

TEST_F(cycle_search_test, more_candidates_than_the_list_holds_are_found) {
    for (int i = 0; i < 70'000; ++i) {
        const cyclic_ptr<loop> made = make_cyclic<loop>();
        made->one = made;
        made->other = made;
    }
    cycle_collector::collect(1);
    for (int i = 0; i < 10; ++i) cycle_collector::collect(200'000);
    EXPECT_EQ(cycle_collector::objects(), nodes);
}

namespace {

// Its finalize() makes an object that owns it, once.
struct lingering {
    cyclic_ptr<lingering> other = nullptr;
    cyclic_ptr<lingering> made = nullptr;
    cyclic_ptr<node> parent = nullptr;
    bool makes = false;

    void finalize() {
        if (!makes) return;
        makes = false;
        cyclic_ptr<lingering> owner = make_cyclic<lingering>();
        owner->other = other->other;
        made = std::move(owner);
    }
};

}  // namespace

TEST_F(cycle_search_test, what_a_finalizer_lets_linger_in_a_part_is_found_later) {
    cyclic_ptr<lingering> one = make_cyclic<lingering>();
    one->other = make_cyclic<lingering>();
    one->other->other = one;
    one->parent = tree;
    one->makes = true;
    cyclic_ptr<node>(tree->children[0]).reset();
    one.reset();
    for (int i = 0; i < 100; ++i) cycle_collector::collect(step);
    cycle_collector::collect();
    EXPECT_EQ(cycle_collector::objects(), nodes);
}

namespace {

// More children than a header can count the owners of.
cyclic_ptr<node> make_wide_tree(int depth, const cyclic_ptr<node>& parent) {
    constexpr int width = 8;
    cyclic_ptr<node> made = make_cyclic<node>();
    made->parent = parent;
    for (int i = 0; depth > 0 && i < width; ++i) made->children.push_back(make_wide_tree(depth - 1, made));
    return made;
}

}  // namespace

// Subtrees that refer to the living tree are cut off, faster than a search of equal steps would find them.
TEST(automatic_cycle_search, garbage_does_not_outgrow_it) {
    cyclic_ptr<node> root = make_wide_tree(5, nullptr);
    const std::size_t live = cycle_collector::objects();
    std::size_t most = 0;
    const std::size_t cuts = support::effort<std::size_t>(30'000, 6'000);
    for (std::size_t i = 0; i < cuts; ++i) {
        const cyclic_ptr<node> parent = root->children[i % 8]->children[i / 8 % 8];
        parent->children[i / 64 % 8] = make_wide_tree(2, parent);
        if (i % 64 == 0) most = std::max(most, cycle_collector::objects());
    }
    EXPECT_LT(most, 4 * live);
    take_apart(root);
    root.reset();
    cycle_collector::collect();
}

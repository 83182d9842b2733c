// cycle_search: what is cut off from a large living tree is found without a visit to all of it, and what a program does
// between the steps of a search hides no garbage for ever.

#include <gtest/gtest.h>
#include <freehold/cyclic/cycle_collector.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/cyclic/detail/cyclic_header.hpp>

#include <cstddef>
#include <utility>
#include <vector>

using freehold::cycle_collector;
using freehold::cyclic_ptr;
using freehold::make_cyclic;
using freehold::detail::cyclic_header;

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
    cycle_search_test() { cycle_collector::set_automatic(false); }

    ~cycle_search_test() override {
        take_apart(tree);
        tree.reset();
        cycle_collector::collect();
        EXPECT_EQ(cycle_collector::objects(), 0U);
        cycle_collector::set_automatic(true);
    }

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
    EXPECT_NE(cycle_collector::collect(step), 0U);
    EXPECT_FALSE(cyclic_header::of(&parent).has_lost_an_owner());
}

TEST_F(cycle_search_test, a_cursor_is_not_looked_around) {
    std::size_t visited = 0;
    static std::size_t* seen;
    seen = &visited;
    cycle_collector::collect(step);  // begins a search
    while (cycle_collector::collect(nodes) != 0) {
    }
    cyclic_ptr<node> at = tree;
    while (!at->children.empty()) at = cyclic_ptr<node>(at->children[0]);
    cycle_collector::on_collection([](const freehold::cyclic_collection& done) { *seen += done.visited_objects; });
    cycle_collector::collect(1);
    cycle_collector::on_collection(nullptr);
    EXPECT_LE(visited, 2U);
}

TEST_F(cycle_search_test, garbage_that_is_made_at_any_moment_of_a_search_is_found) {
    for (int steps = 0; steps < 40; ++steps) {
        cyclic_ptr<node>(tree->children[0]).reset();
        for (int i = 0; i < steps; ++i) cycle_collector::collect(step);
        cyclic_ptr<node> dying = grow(2);
        dying->parent = tree;
        cyclic_ptr<node>(dying).reset();
        cycle_collector::collect(1);  // postpones it
        dying.reset();
        for (int i = 0; i < 100 && cycle_collector::objects() != nodes; ++i) cycle_collector::collect(step);
        ASSERT_EQ(cycle_collector::objects(), nodes) << steps;
    }
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

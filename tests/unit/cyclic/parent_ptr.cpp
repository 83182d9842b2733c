#include <gtest/gtest.h>
#include <freehold/cyclic/parent_ptr.hpp>

#include <type_traits>
#include <utility>
#include <vector>

#include <freehold/cyclic/cycle_collector.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>

#include "support/tracked.hpp"

using freehold::cycle_collector;
using freehold::cyclic_ptr;
using freehold::make_cyclic;
using freehold::parent_ptr;

namespace {

struct node {
    std::vector<cyclic_ptr<node>> children;
    parent_ptr<node> parent;
    support::tracked part;
};

class parent_ptr_test : public support::tracked_test {};

cyclic_ptr<node> make_tree(int height) {
    auto made = make_cyclic<node>();
    for (int i = 0; i < 2 && height > 1; ++i) {
        made->children.push_back(make_tree(height - 1));
        made->children.back()->parent = made;
    }
    return made;
}

}  // namespace

TEST_F(parent_ptr_test, it_is_a_word_and_no_owner) {
    static_assert(sizeof(parent_ptr<node>) == sizeof(void*));
    const auto p = make_cyclic<node>();
    const parent_ptr<node> link = p;
    EXPECT_EQ(p.use_count(), 1);
    EXPECT_EQ(link, p);
    EXPECT_EQ(&*link, p.get());
    EXPECT_TRUE(link);
}

TEST_F(parent_ptr_test, it_leads_to_an_owner) {
    auto p = make_cyclic<node>();
    const parent_ptr<node> link = p;
    cyclic_ptr<node> owner = link.lock();
    EXPECT_EQ(owner, p);
    EXPECT_EQ(p.use_count(), 2);
    p.reset();
    EXPECT_EQ(link, owner);
    EXPECT_EQ(parent_ptr<node>().lock(), nullptr);
    EXPECT_EQ(parent_ptr<const node>(owner).lock(), owner);
}

TEST_F(parent_ptr_test, a_copy_refers_to_the_same_parent) {
    const auto p = make_cyclic<node>();
    parent_ptr<node> link;
    EXPECT_EQ(link, nullptr);
    link = p;
    parent_ptr<node> copy = link;
    EXPECT_EQ(copy, link);
    link.reset();
    EXPECT_EQ(link.get(), nullptr);
    EXPECT_EQ(copy->children.size(), 0U);
}

TEST_F(parent_ptr_test, what_is_cut_off_from_a_tree_is_destroyed_at_once) {
    const auto root = make_tree(5);
    EXPECT_EQ(support::tracked::alive(), 31);
    root->children.pop_back();
    EXPECT_EQ(support::tracked::alive(), 16);
}

TEST_F(parent_ptr_test, no_collection_follows_it) {
    const auto parent = make_cyclic<node>();
    auto child = make_cyclic<node>();
    child->parent = parent;
    child->children.push_back(child);
    child.reset();
    EXPECT_EQ(cycle_collector::collect(), 1U);
}

TEST_F(parent_ptr_test, many_links_are_told_apart) {
    std::vector<cyclic_ptr<node>> parents;
    std::vector<parent_ptr<node>> links;
    for (int i = 0; i < 1000; ++i) parents.push_back(make_cyclic<node>());
    for (const auto& parent : parents) links.push_back(parent);
    for (std::size_t i = 0; i < parents.size(); i += 2) parents[i].reset();
    for (std::size_t i = 0; i < parents.size(); i += 2) links[i].reset();
    for (std::size_t i = 1; i < parents.size(); i += 2) EXPECT_EQ(links[i], parents[i]);
}

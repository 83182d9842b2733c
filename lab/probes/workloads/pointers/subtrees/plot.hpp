#pragma once
// subtrees: in a live balanced tree of `x` nodes, which is one less than a power of two, x / 4 operations replace a
// random subtree of 15 nodes by a new one. Each walks down from the root, and stores into a node that has lived for
// long.

#include <bit>
#include <cstdint>

#include "registry/extents.hpp"
#include "workloads/pointers/address.hpp"
#include "workloads/pointers/operation_times.hpp"
#include "workloads/pointers/random_numbers.hpp"
#include "workloads/program.hpp"

namespace lab::subtrees {

constexpr int nodes_for_one_replaced = 4;
constexpr int levels_of_a_subtree = 4;

// Returns the number of levels of a tree of `nodes` nodes.
constexpr int levels_of(int nodes) { return std::countr_zero(static_cast<unsigned>(nodes) + 1); }

// Returns a random link to a subtree that is to be replaced, in a tree of `nodes` nodes.
template <class Node>
auto& random_place(Node* root, int nodes, random_numbers& random) {
    for (int levels = levels_of(nodes) - 1;; --levels) {
        auto& place = random.below(2) == 0 ? root->left : root->right;
        if (levels == levels_of_a_subtree) {
            return place;
        }
        root = address(place);
    }
}

// A Form names prepare(nodes), which makes the tree, finish(), which drops it, and replace(nodes, random), which
// returns the number of the root of the subtree that was replaced. Nodes are numbered as they are made, a root before
// its subtrees.
template <class Form>
struct replacing : Form {
    static std::uint64_t run(int nodes) {
        random_numbers random;
        std::uint64_t sum = 0;
        operation_times::start();
        for (int operations = nodes / nodes_for_one_replaced; operations > 0; --operations) {
            sum += static_cast<std::uint64_t>(Form::replace(nodes, random));
            operation_times::done();
        }
        operation_times::keep(nodes);
        return sum;
    }
};

template <class Program>
struct replaced {
    static constexpr auto plot = with_operation_times<extents, Program, "replace">::plot;

    static std::uint64_t checksum() { return program<extents, Program>::found; }
};

}  // namespace lab::subtrees

#pragma once
// live-tree: beside a live balanced tree of `x` nodes, x nodes are made and dropped, at most a million. The time of a
// young collection must not depend on the tree. Store: every sixteenth node is stored in a random leaf of the tree,
// where it lives until it is replaced.

#include <algorithm>
#include <cstdint>

#include "registry/extents.hpp"
#include "workloads/pointers/address.hpp"
#include "workloads/pointers/random_numbers.hpp"
#include "workloads/program.hpp"

namespace lab::live_tree {

constexpr int made_beside(int nodes) { return std::min(nodes, 1'000'000); }

constexpr int nodes_for_one_stored = 16;

// Returns how many of `nodes` nodes are in the left part below the root; the right part has the rest.
constexpr int left_part(int nodes) { return (nodes - 1) / 2; }
constexpr int right_part(int nodes) { return nodes - 1 - left_part(nodes); }

// Returns the leaf below `root` at the end of a random way.
template <class Node>
Node* random_leaf(Node* root, random_numbers& random) {
    for (std::uint64_t way = random.next();; way /= 2) {
        Node* const left = address(root->left);
        Node* const right = address(root->right);
        if (!right) {
            return root;  // the right part is never the smaller one
        }
        root = way % 2 != 0 && left ? left : right;
    }
}

template <class Allocate, class Store>
struct beside {
    static constexpr series plot[] = {
        program<extents, Allocate>::as("allocate"),
        program<extents, Store>::as("store"),
    };

    static std::uint64_t checksum() { return program<extents, Allocate>::found + 3 * program<extents, Store>::found; }
};

}  // namespace lab::live_tree

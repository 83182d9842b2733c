#pragma once
// Trees whose nodes own their children.

#include <cstdint>
#include <utility>

#include "plot.hpp"
#include "pointer_strategy.hpp"

namespace lab::gcbench {

template <class Strategy>
struct node;

template <class Strategy>
using tree = typename Strategy::template pointer<node<Strategy>>;

template <class Strategy>
struct node : Strategy::template base<node<Strategy>> {
    tree<Strategy> left;
    tree<Strategy> right;
    int i = 0;
    int j = 0;

    node(tree<Strategy>&& left, tree<Strategy>&& right) : left(std::move(left)), right(std::move(right)) {}

    // For pointers whose cycles are collected.
    void trace(auto& visit) const {
        visit(left);
        visit(right);
    }
};

template <class Strategy>
struct array : Strategy::template base<array<Strategy>> {
    std::vector<double> doubles;

    explicit array(int depth) : doubles(gcbench::doubles(depth)) {}

    void trace(auto&) const {}  // holds no pointers
};

template <class Strategy>
class owned : public collecting<Strategy> {
public:
    static std::uint64_t run(int depth) {
        std::uint64_t levels = levels_of(from_the_leaves(stretching(depth)));
        const tree<Strategy> long_lived = make_node();
        populate(*long_lived, depth);
        const auto doubles = make_owner<Strategy, array<Strategy>>(depth);
        for_each_pair(depth, [&levels](int low) {
            levels += levels_of(from_the_root(low));
            levels += levels_of(from_the_leaves(low));
        });
        return levels + count(long_lived) + digest(doubles->doubles);
    }

private:
    static tree<Strategy> make_node() {
        using node = gcbench::node<Strategy>;
        return make_owner<Strategy, node>(no_owner<Strategy, node>(), no_owner<Strategy, node>());
    }

    static tree<Strategy> from_the_root(int depth) {
        tree<Strategy> root = make_node();
        populate(*root, depth);
        return root;
    }

    static void populate(node<Strategy>& root, int depth) {
        if (depth > 0) {
            root.left = make_node();
            root.right = make_node();
            populate(*root.left, depth - 1);
            populate(*root.right, depth - 1);
        }
    }

    static tree<Strategy> from_the_leaves(int depth) {
        if (depth == 0) {
            return make_node();
        }
        tree<Strategy> left = from_the_leaves(depth - 1);
        return make_owner<Strategy, node<Strategy>>(std::move(left), from_the_leaves(depth - 1));
    }

    static std::uint64_t levels_of(const tree<Strategy>& root) { return root->left ? 1 + levels_of(root->left) : 1; }

    static std::uint64_t count(const tree<Strategy>& root) {
        return root->left ? 1 + count(root->left) + count(root->right) : 1;
    }
};

// For strategies that collect, and a few to compare with.
template <class Strategy>
    requires(copies<Strategy, node> && (has_weak<Strategy> || collects<Strategy>))
using of = measured<owned<Strategy>>;

}  // namespace lab::gcbench

#pragma once
// Trees whose nodes own their children.

#include <cstdint>
#include <utility>

#include "plot.hpp"
#include "pointer_strategy.hpp"

namespace lab::binary_trees {

template <class Strategy>
struct node;

// Empty, or the owner of the root.
template <class Strategy>
using tree = typename Strategy::template pointer<node<Strategy>>;

template <class Strategy>
struct node : Strategy::template base<node<Strategy>> {
    tree<Strategy> left;
    tree<Strategy> right;

    node(tree<Strategy>&& left, tree<Strategy>&& right) : left(std::move(left)), right(std::move(right)) {}
    node(const tree<Strategy>& left, const tree<Strategy>& right) : left(left), right(right) {}

    // For pointers whose cycles are collected.
    void trace(auto& visit) const {
        visit(left);
        visit(right);
    }
};

enum class passing { moved, copied };

template <class Strategy, passing Passing>
struct owned : collecting<Strategy> {
    static std::uint64_t run(int depth) {
        const tree<Strategy> long_lived = grow(depth);
        std::uint64_t nodes = 0;
        for_each_short_lived(depth, [&nodes](int low) { nodes += count(grow(low)); });
        return nodes + count(long_lived);
    }

private:
    static tree<Strategy> grow(int depth) {
        using node = binary_trees::node<Strategy>;
        if (depth == 0) {
            return make_owner<Strategy, node>(no_owner<Strategy, node>(), no_owner<Strategy, node>());
        }
        if constexpr (Passing == passing::copied) {
            const tree<Strategy> left = grow(depth - 1);
            const tree<Strategy> right = grow(depth - 1);
            return make_owner<Strategy, node>(left, right);
        } else {
            tree<Strategy> left = grow(depth - 1);
            return make_owner<Strategy, node>(std::move(left), grow(depth - 1));
        }
    }

    static std::uint64_t count(const tree<Strategy>& root) {
        return root->left ? 1 + count(root->left) + count(root->right) : 1;
    }
};

template <class Strategy>
struct shared_or_sole {
    using type = grown<owned<Strategy, passing::moved>>;
};

template <class Strategy>
    requires copies<Strategy, node>
struct shared_or_sole<Strategy> {
    using type = grown<owned<Strategy, passing::moved>, owned<Strategy, passing::copied>>;
};

template <class Strategy>
    requires(Strategy::shares && moves<Strategy, node>)
using of = typename shared_or_sole<Strategy>::type;

}  // namespace lab::binary_trees

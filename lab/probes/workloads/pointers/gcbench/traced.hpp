#pragma once
// Trees in a traced heap. From the root down, a traced_local of the caller keeps the tree alive; from the leaves up,
// one keeps a subtree alive while its sibling grows.

#include <freehold/traced/traced_heap.hpp>

#include <cstdint>

#include "plot.hpp"

namespace lab::gcbench {

struct traced_node {
    freehold::traced_ptr<traced_node> left;
    freehold::traced_ptr<traced_node> right;
    int i = 0;
    int j = 0;
};

struct traced_array {
    std::vector<double> doubles;
};

template <class Strategy>
class traced : public collecting<Strategy> {
public:
    static std::uint64_t run(int depth) { return traced(Strategy::heap()).measure(depth); }

    static void prepare(int) {
        Strategy::fill_nursery([] { run(8); });
    }
    static void clear() { Strategy::give_back(); }

private:
    using tree = freehold::traced_local<traced_node>;
    using view = freehold::traced_view<traced_node>;

    explicit traced(freehold::traced_heap& used) : heap_(used) {}

    std::uint64_t measure(int depth) {
        std::uint64_t levels = levels_of(from_the_leaves(stretching(depth)));
        const tree long_lived = heap_.make<traced_node>();
        populate(long_lived, depth);
        const freehold::traced_local<traced_array> array = heap_.make<traced_array>(doubles(depth));
        for_each_pair(depth, [&](int low) {
            const tree from_the_root = heap_.make<traced_node>();
            populate(from_the_root, low);
            levels += levels_of(from_the_root);
            levels += levels_of(from_the_leaves(low));
        });
        return levels + count(long_lived) + digest(array->doubles);
    }

    void populate(view root, int depth) {
        if (depth > 0) {
            root->left = heap_.make_unrooted<traced_node>();
            root->right = heap_.make_unrooted<traced_node>();
            populate(root->left, depth - 1);
            populate(root->right, depth - 1);
        }
    }

    view from_the_leaves(int depth) {
        if (depth == 0) {
            return heap_.make_unrooted<traced_node>();
        }
        const tree left = from_the_leaves(depth - 1);
        return heap_.make_unrooted<traced_node>(left, from_the_leaves(depth - 1));
    }

    static std::uint64_t levels_of(view root) { return root->left ? 1 + levels_of(root->left) : 1; }

    static std::uint64_t count(view root) { return root->left ? 1 + count(root->left) + count(root->right) : 1; }

    freehold::traced_heap& heap_;
};

template <class Strategy>
using of = measured<traced<Strategy>>;

}  // namespace lab::gcbench

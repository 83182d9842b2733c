#pragma once
// Trees in a traced heap. A traced_local keeps a subtree alive while its sibling grows; copied, every tree is in one.

#include <freehold/traced/traced_heap.hpp>

#include <cstdint>
#include <type_traits>

#include "plot.hpp"

namespace lab::binary_trees {

struct traced_node {
    freehold::traced_ptr<traced_node> left;
    freehold::traced_ptr<traced_node> right;
};

template <class Strategy, bool AllRooted>
class traced : public collecting<Strategy> {
public:
    static std::uint64_t run(int depth) { return traced(Strategy::heap()).plant(depth); }
    static void prepare(int) {
        Strategy::fill_nursery([] { run(12); });
    }
    static void clear() { Strategy::give_back(); }

private:
    using view = freehold::traced_view<traced_node>;
    using tree = typename Strategy::template local<traced_node>;
    using result = std::conditional_t<AllRooted, tree, view>;

    explicit traced(freehold::traced_heap& used) : heap_(used) {}

    std::uint64_t plant(int depth) {
        const tree long_lived = grow(depth);
        std::uint64_t nodes = 0;
        for_each_short_lived(depth, [&](int low) { nodes += count(grow(low)); });
        return nodes + count(long_lived);
    }

    result grow(int depth) {
        if (depth == 0) {
            return heap_.make_unrooted<traced_node>();
        }
        const tree left = grow(depth - 1);
        const result right = grow(depth - 1);
        return heap_.make_unrooted<traced_node>(left, right);
    }

    static std::uint64_t count(view root) { return root->left ? 1 + count(root->left) + count(root->right) : 1; }

    freehold::traced_heap& heap_;
};

template <class Strategy>
using of = grown<traced<Strategy, false>, traced<Strategy, true>>;

}  // namespace lab::binary_trees

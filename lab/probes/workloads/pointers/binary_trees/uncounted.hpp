#pragma once
// Trees of raw nodes without counts: the program frees each of them.

#include <cstdint>
#include <new>

#include "memory_strategy.hpp"
#include "plot.hpp"

namespace lab::binary_trees {

struct raw_node {
    const raw_node* left;
    const raw_node* right;
};

template <class Strategy>
class uncounted : public collecting<Strategy> {
public:
    static std::uint64_t run(int depth) { return uncounted().plant(depth); }
    static void clear() { Strategy::give_back(); }

private:
    using tree = const raw_node*;

    std::uint64_t plant(int depth) {
        const tree long_lived = grow(depth);
        std::uint64_t nodes = 0;
        for_each_short_lived(depth, [&](int low) {
            const typename Strategy::scope dying(arena_);
            const tree short_lived = grow(low);
            nodes += count(short_lived);
            free(short_lived);
        });
        nodes += count(long_lived);
        free(long_lived);
        return nodes;
    }

    tree grow(int depth) {
        const tree left = depth == 0 ? nullptr : grow(depth - 1);
        const tree right = depth == 0 ? nullptr : grow(depth - 1);
        return ::new (allocator_.allocate(1)) raw_node{left, right};
    }

    // Frees what was made last first.
    void free(tree root) {
        if constexpr (Strategy::frees) {
            const auto [left, right] = *root;
            allocator_.deallocate(const_cast<raw_node*>(root), 1);
            if (left) {
                free(right);
                free(left);
            }
        }
    }

    static std::uint64_t count(tree root) { return root->left ? 1 + count(root->left) + count(root->right) : 1; }

    typename Strategy::arena arena_;
    allocator_of<typename Strategy::arena, raw_node> allocator_ = arena_.template allocator<raw_node>();
};

template <class Strategy>
using of = grown<uncounted<Strategy>, uncounted<Strategy>>;

}  // namespace lab::binary_trees

#pragma once
// Trees of raw nodes without counts: the program frees each of them.

#include <cstdint>
#include <new>

#include "memory_strategy.hpp"
#include "plot.hpp"

namespace lab::gcbench {

struct raw_node {
    raw_node* left = nullptr;
    raw_node* right = nullptr;
    int i = 0;
    int j = 0;
};

template <class Strategy>
class uncounted : public collecting<Strategy> {
public:
    static std::uint64_t run(int depth) { return uncounted().measure(depth); }
    static void clear() { Strategy::give_back(); }

private:
    template <class T>
    using allocator = allocator_of<typename Strategy::arena, T>;

    std::uint64_t measure(int depth) {
        std::uint64_t levels = use(from_the_leaves(stretching(depth)));
        raw_node* const long_lived = from_the_root(depth);
        const auto array = doubles<std::vector<double, allocator<double>>>(depth, arena_.template allocator<double>());
        for_each_pair(depth, [&](int low) {
            levels += use(from_the_root(low));
            levels += use(from_the_leaves(low));
        });
        const std::uint64_t found = levels + count(long_lived) + digest(array);
        free(long_lived);
        return found;
    }

    std::uint64_t use(raw_node* root) {
        const std::uint64_t levels = levels_of(root);
        free(root);
        return levels;
    }

    raw_node* make_node(raw_node* left = nullptr, raw_node* right = nullptr) {
        return ::new (allocator_.allocate(1)) raw_node{left, right};
    }

    raw_node* from_the_root(int depth) {
        raw_node* const root = make_node();
        populate(root, depth);
        return root;
    }

    void populate(raw_node* root, int depth) {
        if (depth > 0) {
            root->left = make_node();
            root->right = make_node();
            populate(root->left, depth - 1);
            populate(root->right, depth - 1);
        }
    }

    raw_node* from_the_leaves(int depth) {
        raw_node* const left = depth == 0 ? nullptr : from_the_leaves(depth - 1);
        return make_node(left, depth == 0 ? nullptr : from_the_leaves(depth - 1));
    }

    void free(raw_node* root) {
        if constexpr (Strategy::frees) {
            if (root->left) {
                free(root->right);
                free(root->left);
            }
            allocator_.deallocate(root, 1);
        }
    }

    static std::uint64_t levels_of(const raw_node* root) { return root->left ? 1 + levels_of(root->left) : 1; }

    static std::uint64_t count(const raw_node* root) {
        return root->left ? 1 + count(root->left) + count(root->right) : 1;
    }

    typename Strategy::arena arena_;
    allocator<raw_node> allocator_ = arena_.template allocator<raw_node>();
};

// Nodes die in any order.
template <class Strategy>
    requires(Strategy::in_any_order)
using of = measured<uncounted<Strategy>>;

}  // namespace lab::gcbench

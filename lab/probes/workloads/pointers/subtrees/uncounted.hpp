#pragma once
// A tree of raw nodes without counts: the program frees each of them.

#include <new>
#include <optional>
#include <utility>

#include "memory_strategy.hpp"
#include "plot.hpp"

namespace lab::subtrees {

struct raw_node {
    int number;
    raw_node* left;
    raw_node* right;
};

template <class Strategy>
class raw_nodes {
public:
    raw_node* grow(int levels) {
        if (levels == 0) {
            return nullptr;
        }
        const int number = made_++;
        raw_node* const left = grow(levels - 1);
        raw_node* const right = grow(levels - 1);
        return ::new (allocator_.allocate(1)) raw_node{number, left, right};
    }

    void free(raw_node* root) {
        if constexpr (Strategy::frees) {
            if (root) {
                free(root->right);
                free(root->left);
                allocator_.deallocate(root, 1);
            }
        }
    }

private:
    int made_ = 0;
    typename Strategy::arena arena_;
    allocator_of<typename Strategy::arena, raw_node> allocator_ = arena_.template allocator<raw_node>();
};

template <class Strategy>
class uncounted : public collecting<Strategy> {
public:
    static void prepare(int size) {
        nodes.emplace();
        living = nodes->grow(levels_of(size));
    }

    static int replace(int size, random_numbers& random) {
        raw_node* const fresh = nodes->grow(levels_of_a_subtree);
        raw_node* const old = std::exchange(random_place(living, size, random), fresh);
        const int number = old->number;
        nodes->free(old);
        return number;
    }

    static void finish() {
        nodes->free(living);
        living = nullptr;
        nodes.reset();
    }

    static void clear() { Strategy::give_back(); }

private:
    static inline std::optional<raw_nodes<Strategy>> nodes;
    static inline raw_node* living = nullptr;
};

// Nodes die in any order.
template <class Strategy>
    requires(Strategy::in_any_order)
using of = replaced<replacing<uncounted<Strategy>>>;

}  // namespace lab::subtrees

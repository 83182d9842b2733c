#pragma once
// A tree of raw nodes without counts: the program frees each of them.

#include <cstdint>
#include <new>
#include <optional>
#include <utility>

#include "memory_strategy.hpp"
#include "plot.hpp"

namespace lab::live_tree {

struct raw_node {
    int number;
    raw_node* left = nullptr;
    raw_node* right = nullptr;
    raw_node* stored = nullptr;
};

template <class Strategy>
class raw_nodes {
public:
    raw_node* make(int number, raw_node* left = nullptr, raw_node* right = nullptr) {
        return ::new (allocator_.allocate(1)) raw_node{number, left, right};
    }

    raw_node* grow(int nodes) {
        if (nodes == 0) {
            return nullptr;
        }
        raw_node* const left = grow(left_part(nodes));
        return make(0, left, grow(right_part(nodes)));
    }

    void free(raw_node* root) {
        if constexpr (Strategy::frees) {
            if (root) {
                free(root->stored);
                free(root->right);
                free(root->left);
                allocator_.deallocate(root, 1);
            }
        }
    }

private:
    typename Strategy::arena arena_;
    allocator_of<typename Strategy::arena, raw_node> allocator_ = arena_.template allocator<raw_node>();
};

template <class Strategy, bool Stores>
class uncounted : public collecting<Strategy> {
public:
    static void prepare(int size) {
        nodes.emplace();
        living = nodes->grow(size);
    }

    static std::uint64_t run(int size) {
        random_numbers random;
        std::uint64_t sum = 0;
        for (int made = 1; made <= made_beside(size); ++made) {
            raw_node* young = nodes->make(made);
            sum += static_cast<std::uint64_t>(young->number);
            if (Stores && made % nodes_for_one_stored == 0) {
                young = std::exchange(random_leaf(living, random)->stored, young);
                sum += young ? static_cast<std::uint64_t>(young->number) : 0;
            }
            nodes->free(young);
        }
        return sum;
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
using of = beside<uncounted<Strategy, false>, uncounted<Strategy, true>>;

}  // namespace lab::live_tree

#pragma once
// A tree of raw nodes without counts: the program frees what leaves it.

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "memory_strategy.hpp"
#include "plot.hpp"

namespace lab::document_tree {

template <class Strategy>
struct raw_node {
    std::string text;  // short enough to be no block of its own
    std::vector<raw_node*, allocator_of<typename Strategy::arena, raw_node*>> children;
    raw_node* parent = nullptr;
};

template <class Strategy>
class uncounted : public collecting<Strategy> {
    using node = raw_node<Strategy>;

public:
    using owner = node*;

    static std::uint64_t run(int nodes) {
        uncounted form;
        return edit(form, nodes);
    }

    static void clear() { Strategy::give_back(); }

    owner make(int number) {
        return ::new (nodes_.allocate(1))
            node{std::to_string(number), decltype(node::children)(arena_.template allocator<node*>())};
    }

    static owner parent(const node* child) { return child->parent; }

    void discard(owner top) {
        if constexpr (Strategy::frees) {
            for (const owner child : top->children) {
                discard(child);
            }
            std::destroy_at(top);
            nodes_.deallocate(top, 1);
        }
    }

private:
    typename Strategy::arena arena_;
    allocator_of<typename Strategy::arena, node> nodes_ = arena_.template allocator<node>();
};

// Nodes die in any order.
template <class Strategy>
    requires(Strategy::in_any_order)
using of = edited<uncounted<Strategy>, uncounted<Strategy>>;

}  // namespace lab::document_tree

#pragma once
// A tree whose nodes own their children, and what is stored in them.

#include <cstdint>
#include <optional>
#include <utility>

#include "plot.hpp"
#include "pointer_strategy.hpp"

namespace lab::live_tree {

template <class Strategy>
struct node : Strategy::template base<node<Strategy>> {
    using pointer = typename Strategy::template pointer<node>;

    int number;
    pointer left;
    pointer right;
    pointer stored;

    node(int number, pointer&& left, pointer&& right)
        : number(number), left(std::move(left)), right(std::move(right)) {}

    // For pointers whose cycles are collected.
    void trace(auto& visit) const {
        visit(left);
        visit(right);
        visit(stored);
    }
};

template <class Strategy, bool Stores>
class owned : public collecting<Strategy> {
public:
    static void prepare(int nodes) { living = grow(nodes); }

    static std::uint64_t run(int nodes) {
        random_numbers random;
        std::uint64_t sum = 0;
        for (int made = 1; made <= made_beside(nodes); ++made) {
            pointer young = make_owner<Strategy, node>(made, pointer(), pointer());
            sum += static_cast<std::uint64_t>(young->number);
            if (Stores && made % nodes_for_one_stored == 0) {
                node* const leaf = random_leaf(address(*living), random);
                sum += leaf->stored ? static_cast<std::uint64_t>(leaf->stored->number) : 0;
                leaf->stored = std::move(young);
            }
        }
        return sum;
    }

    static void finish() { living.reset(); }

private:
    using node = live_tree::node<Strategy>;
    using pointer = typename node::pointer;

    static pointer grow(int nodes) {
        if (nodes == 0) {
            return pointer();
        }
        pointer left = grow(left_part(nodes));
        return make_owner<Strategy, node>(0, std::move(left), grow(right_part(nodes)));
    }

    static inline std::optional<pointer> living;
};

// For strategies that collect, and a few to compare with.
template <class Strategy>
    requires(copies<Strategy, node> && (has_weak<Strategy> || collects<Strategy>))
using of = beside<owned<Strategy, false>, owned<Strategy, true>>;

}  // namespace lab::live_tree

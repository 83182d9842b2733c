#pragma once
// A tree whose nodes own their children.

#include <optional>
#include <utility>

#include "plot.hpp"
#include "pointer_strategy.hpp"

namespace lab::subtrees {

template <class Strategy>
struct node : Strategy::template base<node<Strategy>> {
    using pointer = typename Strategy::template pointer<node>;

    int number;
    pointer left;
    pointer right;

    node(int number, pointer&& left, pointer&& right)
        : number(number), left(std::move(left)), right(std::move(right)) {}

    // For pointers whose cycles are collected.
    void trace(auto& visit) const {
        visit(left);
        visit(right);
    }
};

template <class Strategy>
class owned : public collecting<Strategy> {
    using node = subtrees::node<Strategy>;
    using pointer = typename node::pointer;

public:
    static void prepare(int nodes) {
        made = 0;
        living = grow(levels_of(nodes));
    }

    static int replace(int nodes, random_numbers& random) {
        pointer fresh = grow(levels_of_a_subtree);
        pointer& place = random_place(address(*living), nodes, random);
        const int number = place->number;
        place = std::move(fresh);
        return number;
    }

    static void finish() { living.reset(); }

private:
    static pointer grow(int levels) {
        if (levels == 0) {
            return pointer();
        }
        const int number = made++;
        pointer left = grow(levels - 1);
        return make_owner<Strategy, node>(number, std::move(left), grow(levels - 1));
    }

    static inline int made = 0;
    static inline std::optional<pointer> living;
};

// For strategies that collect, and a few to compare with.
template <class Strategy>
    requires(copies<Strategy, node> && (has_weak<Strategy> || collects<Strategy>))
using of = replaced<replacing<owned<Strategy>>>;

}  // namespace lab::subtrees

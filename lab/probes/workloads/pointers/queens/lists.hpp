#pragma once
// What the programs of queens share: squares of a board, and immutable lists of them that own their tails.

#include <utility>

#include "pointer_strategy.hpp"

namespace lab::queens {

struct square {
    int column;
    int row;
};

inline bool safe(square one, square other) {
    const int right = other.column - one.column;
    const int down = other.row - one.row;
    return right != 0 && down != 0 && right != down && right != -down;
}

template <class Strategy>
struct cell;

// Empty, or the owner of the first cell.
template <class Strategy>
using list = typename Strategy::template pointer<cell<Strategy>>;

template <class Strategy>
struct cell : Strategy::template base<cell<Strategy>> {
    square head;
    list<Strategy> tail;

    template <class Tail>
    cell(square head, Tail&& tail) : head(head), tail(std::forward<Tail>(tail)) {}

    // For pointers whose cycles are collected.
    void trace(auto& visit) const { visit(tail); }
};

template <class Strategy, class Tail>
list<Strategy> prepend(square head, Tail&& tail) {
    return make_owner<Strategy, cell<Strategy>>(head, std::forward<Tail>(tail));
}

}  // namespace lab::queens

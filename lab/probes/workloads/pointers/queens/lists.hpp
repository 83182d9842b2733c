#pragma once
// Immutable lists of squares that own their tails.

#include <utility>

#include "pointer_strategy.hpp"
#include "square.hpp"
#include "workloads/program.hpp"

namespace lab::queens {

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

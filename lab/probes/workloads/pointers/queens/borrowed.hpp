#pragma once
// The program with lists that are only looked at passed as plain pointers, which own nothing. What is stored is owned,
// so a list that becomes a tail is passed as its owner.

#include <utility>

#include "lists.hpp"

namespace lab::queens {

template <class Strategy>
struct borrowed {
    using list = queens::list<Strategy>;
    using view = const cell<Strategy>*;
    using verdict = int (*)(view, int);

    static int solutions(int size) { return search(count, size, list(), squares(size, 0, 0).get(), 0); }

private:
    static int length(view all) { return all ? 1 + length(all->tail.get()) : 0; }

    static list squares(int size, int column, int row) {
        if (column == size) {
            return row == size - 1 ? list() : squares(size, 0, row + 1);
        }
        return prepend<Strategy>({column, row}, squares(size, column + 1, row));
    }

    template <class Predicate>
    static list filter(const Predicate& wanted, view all) {
        if (!all) {
            return {};
        }
        list tail = filter(wanted, all->tail.get());
        if (wanted(all->head)) {
            return prepend<Strategy>(all->head, std::move(tail));
        }
        return tail;
    }

    static int count(view, int found) { return found + 1; }

    static int search(verdict judge, int size, const list& placed, view open, int found) {
        if (!open) {
            return length(placed.get()) == size ? judge(placed.get(), found) : found;
        }
        const square queen = open->head;
        const view rest = open->tail.get();
        found = search(judge, size, placed, rest, found);
        const auto is_safe = [queen](square other) { return safe(queen, other); };
        return search(judge, size, prepend<Strategy>(queen, placed), filter(is_safe, rest).get(), found);
    }
};

}  // namespace lab::queens

#pragma once
// The program with lists that are only read passed as the strategy's views, which own nothing. What is stored is owned,
// so a list that becomes a tail is passed as its owner.

#include <utility>

#include "lists.hpp"

namespace lab::queens {

template <class Strategy>
struct borrowed : collecting<Strategy> {
    using list = queens::list<Strategy>;
    using view = typename Strategy::template view<cell<Strategy>>;
    using verdict = int (*)(view, int);

    static int run(int size) { return search(count, size, list(), look(squares(size, 0, 0)), 0); }

private:
    static view look(const list& all) { return look_at<view>(all); }

    static int length(view all) { return all ? 1 + length(look(all->tail)) : 0; }

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
        list tail = filter(wanted, look(all->tail));
        if (wanted(all->head)) {
            return prepend<Strategy>(all->head, std::move(tail));
        }
        return tail;
    }

    static int count(view, int found) { return found + 1; }

    static int search(verdict judge, int size, const list& placed, view open, int found) {
        if (!open) {
            return length(look(placed)) == size ? judge(look(placed), found) : found;
        }
        const square queen = open->head;
        const view rest = look(open->tail);
        found = search(judge, size, placed, rest, found);
        const auto is_safe = [queen](square other) { return safe(queen, other); };
        return search(judge, size, prepend<Strategy>(queen, placed), look(filter(is_safe, rest)), found);
    }
};

}  // namespace lab::queens

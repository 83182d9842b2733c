#pragma once
// The program as one would write it today: references to const, moves, and no copy but the one that is stored.

#include <utility>

#include "lists.hpp"

namespace lab::queens {

template <class Strategy>
struct modern : collecting<Strategy> {
    using list = queens::list<Strategy>;
    using verdict = int (*)(const list&, int);

    static int run(int size) { return search(count, size, list(), squares(size, 0, 0), 0); }

protected:
    static int length(const list& all) { return all ? 1 + length(all->tail) : 0; }

    static list squares(int size, int column, int row) {
        if (column == size) {
            return row == size - 1 ? list() : squares(size, 0, row + 1);
        }
        return prepend<Strategy>({column, row}, squares(size, column + 1, row));
    }

private:
    template <class Predicate>
    static list filter(const Predicate& wanted, const list& all) {
        if (!all) {
            return {};
        }
        list tail = filter(wanted, all->tail);
        if (wanted(all->head)) {
            return prepend<Strategy>(all->head, std::move(tail));
        }
        return tail;
    }

    static int count(const list&, int found) { return found + 1; }

    static int search(verdict judge, int size, const list& placed, const list& open, int found) {
        if (!open) {
            return length(placed) == size ? judge(placed, found) : found;
        }
        const square queen = open->head;
        found = search(judge, size, placed, open->tail, found);
        const auto is_safe = [queen](square other) { return safe(queen, other); };
        return search(judge, size, prepend<Strategy>(queen, placed), filter(is_safe, open->tail), found);
    }
};

}  // namespace lab::queens

#pragma once
// The program as the article had it: lists are passed as `Parameter`, by value or by reference to const, and every
// intermediate result has a name of its own.

#include "lists.hpp"

namespace lab::queens {

template <class Strategy, class Parameter>
struct article : collecting<Strategy> {
    using list = queens::list<Strategy>;
    using verdict = int (*)(Parameter, int);

    static int run(int size) { return search(count, size, list(), squares(size, 0, 0), 0); }

private:
    static bool is_empty(Parameter all) { return !all; }

    static int length(Parameter all) { return is_empty(all) ? 0 : 1 + length(all->tail); }

    static list add(square head, Parameter tail) { return prepend<Strategy>(head, tail); }

    static list squares(int size, int column, int row) {
        if (column == size) {
            return row == size - 1 ? list() : squares(size, 0, row + 1);
        }
        return add({column, row}, squares(size, column + 1, row));
    }

    template <class Predicate>
    static list filter(Predicate wanted, Parameter all) {
        if (is_empty(all)) {
            return all;
        }
        const square head = all->head;
        list tail = all->tail;
        tail = filter(wanted, tail);
        if (wanted(head)) {
            return add(head, tail);
        }
        return tail;
    }

    static int count(Parameter, int found) { return found + 1; }

    // Every way to go on from the queens that are `placed` on the squares that are `open`: first without a queen on the
    // first of these, then with one.
    static int search(verdict judge, int size, Parameter placed, list open, int found) {
        if (is_empty(open)) {
            return length(placed) == size ? judge(placed, found) : found;
        }
        const square queen = open->head;
        open = open->tail;
        found = search(judge, size, placed, open, found);
        const auto is_safe = [queen](square other) { return safe(queen, other); };
        return search(judge, size, add(queen, placed), filter(is_safe, open), found);
    }
};

template <class Strategy>
using by_value = article<Strategy, list<Strategy>>;

template <class Strategy>
using by_const_reference = article<Strategy, const list<Strategy>&>;

}  // namespace lab::queens

#pragma once
// The program on lists of a traced heap. Functions take views of lists that their caller has in a traced_local. What
// they return, the caller roots or stores before anything else is allocated.

#include <freehold/traced/traced_heap.hpp>

#include "plot.hpp"
#include "square.hpp"

namespace lab::queens {

struct traced_cell {
    square head;
    freehold::traced_ptr<traced_cell> tail;
};

template <class Strategy>
class traced : public collecting<Strategy> {
public:
    static int run(int size) { return traced(Strategy::heap()).play(size); }

    static void prepare(int) {
        Strategy::fill_young_space([] { run(8); });
    }
    static void clear() { Strategy::give_back(); }

protected:
    using list = freehold::traced_local<traced_cell>;
    using view = freehold::traced_view<traced_cell>;

    explicit traced(freehold::traced_heap& used) : heap_(used) {}

    view prepend(square head, view tail) { return heap_.make_unrooted<traced_cell>(head, tail); }

    static int length(view all) { return all ? 1 + length(all->tail) : 0; }

    view squares(int size, int column, int row) {
        if (column == size) {
            return row == size - 1 ? nullptr : squares(size, 0, row + 1);
        }
        return prepend({column, row}, squares(size, column + 1, row));
    }

private:
    using verdict = int (*)(view, int);

    int play(int size) {
        const list board = squares(size, 0, 0);
        return search(count, size, nullptr, board, 0);
    }

    template <class Predicate>
    view filter(const Predicate& wanted, view all) {
        if (!all) {
            return nullptr;
        }
        const view tail = filter(wanted, all->tail);
        return wanted(all->head) ? prepend(all->head, tail) : tail;
    }

    static int count(view, int found) { return found + 1; }

    int search(verdict judge, int size, view placed, view open, int found) {
        if (!open) {
            return length(placed) == size ? judge(placed, found) : found;
        }
        const square queen = open->head;
        found = search(judge, size, placed, open->tail, found);
        const auto is_safe = [queen](square other) { return safe(queen, other); };
        const list with_queen = prepend(queen, placed);
        const list rest = filter(is_safe, open->tail);
        return search(judge, size, with_queen, rest, found);
    }

    freehold::traced_heap& heap_;
};

// Without functions as arguments.
template <class Strategy>
class traced_directly : public traced<Strategy> {
public:
    static int run(int size) { return traced_directly(Strategy::heap()).play(size); }

private:
    using traced<Strategy>::traced;
    using typename traced<Strategy>::list;
    using typename traced<Strategy>::view;

    int play(int size) {
        const list board = this->squares(size, 0, 0);
        return search(size, nullptr, board, 0);
    }

    view filter(square queen, view all) {
        if (!all) {
            return nullptr;
        }
        const view tail = filter(queen, all->tail);
        return safe(queen, all->head) ? this->prepend(all->head, tail) : tail;
    }

    int search(int size, view placed, view open, int found) {
        if (!open) {
            return this->length(placed) == size ? found + 1 : found;
        }
        const square queen = open->head;
        found = search(size, placed, open->tail, found);
        const list with_queen = this->prepend(queen, placed);
        const list rest = filter(queen, open->tail);
        return search(size, with_queen, rest, found);
    }
};

template <class Strategy>
using of = played_alike<traced<Strategy>, traced_directly<Strategy>>;

}  // namespace lab::queens

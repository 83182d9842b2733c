#pragma once
// The program on lists of a traced heap. What a function looks at is borrowed from its caller, who has it in a local;
// what it returns is for the caller to root or store, before anything else is allocated.

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

private:
    using list = freehold::traced_local<traced_cell>;
    using view = freehold::traced_view<traced_cell>;
    using verdict = int (*)(view, int);

    explicit traced(freehold::traced_heap& used) : heap_(used) {}

    int play(int size) {
        const list board = squares(size, 0, 0);
        return search(count, size, nullptr, board, 0);
    }

    view prepend(square head, view tail) { return heap_.make_unrooted<traced_cell>(head, tail); }

    static int length(view all) { return all ? 1 + length(all->tail) : 0; }

    view squares(int size, int column, int row) {
        if (column == size) {
            return row == size - 1 ? nullptr : squares(size, 0, row + 1);
        }
        return prepend({column, row}, squares(size, column + 1, row));
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

// Lists are passed in one way, so every style is the same program.
template <class Strategy>
using of = played_alike<traced<Strategy>>;

}  // namespace lab::queens

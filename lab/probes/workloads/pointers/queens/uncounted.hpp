#pragma once
// The program on raw lists without counts: it frees each of them. Passing a list copies a pointer, so every style but
// the direct one is the same program.

#include <new>

#include "memory_strategy.hpp"
#include "plot.hpp"
#include "square.hpp"

namespace lab::queens {

struct raw_cell {
    square head;
    const raw_cell* tail;
};

template <class Strategy>
class uncounted : public collecting<Strategy> {
public:
    static int run(int size) { return uncounted().play(size); }
    static void clear() { Strategy::give_back(); }

protected:
    using list = const raw_cell*;

    list prepend(square head, list tail) { return ::new (allocator_.allocate(1)) raw_cell{head, tail}; }

    // Frees the cells from `first` to `end`, the one that was made last before those that it was prepended to.
    void free(list first, list end) {
        if constexpr (Strategy::frees) {
            while (first != end) {
                const list tail = first->tail;
                allocator_.deallocate(const_cast<raw_cell*>(first), 1);
                first = tail;
            }
        }
    }

    static int length(list all) { return all ? 1 + length(all->tail) : 0; }

    list squares(int size, int column, int row) {
        if (column == size) {
            return row == size - 1 ? nullptr : squares(size, 0, row + 1);
        }
        return prepend({column, row}, squares(size, column + 1, row));
    }

    typename Strategy::arena arena_;

private:
    using verdict = int (*)(list, int);

    int play(int size) {
        const list board = squares(size, 0, 0);
        const int found = search(count, size, nullptr, board, 0);
        free(board, nullptr);
        return found;
    }

    template <class Predicate>
    list filter(const Predicate& wanted, list all) {
        if (!all) {
            return nullptr;
        }
        const list tail = filter(wanted, all->tail);
        return wanted(all->head) ? prepend(all->head, tail) : tail;
    }

    static int count(list, int found) { return found + 1; }

    int search(verdict judge, int size, list placed, list open, int found) {
        if (!open) {
            return length(placed) == size ? judge(placed, found) : found;
        }
        const square queen = open->head;
        found = search(judge, size, placed, open->tail, found);
        const typename Strategy::scope dying(arena_);
        const auto is_safe = [queen](square other) { return safe(queen, other); };
        const list with_queen = prepend(queen, placed);
        const list rest = filter(is_safe, open->tail);
        found = search(judge, size, with_queen, rest, found);
        free(rest, nullptr);
        free(with_queen, placed);
        return found;
    }

    allocator_of<typename Strategy::arena, raw_cell> allocator_ = arena_.template allocator<raw_cell>();
};

// Without functions as arguments.
template <class Strategy>
class uncounted_directly : public uncounted<Strategy> {
public:
    static int run(int size) { return uncounted_directly().play(size); }

private:
    using typename uncounted<Strategy>::list;

    int play(int size) {
        const list board = this->squares(size, 0, 0);
        const int found = search(size, nullptr, board, 0);
        this->free(board, nullptr);
        return found;
    }

    list filter(square queen, list all) {
        if (!all) {
            return nullptr;
        }
        const list tail = filter(queen, all->tail);
        return safe(queen, all->head) ? this->prepend(all->head, tail) : tail;
    }

    int search(int size, list placed, list open, int found) {
        if (!open) {
            return this->length(placed) == size ? found + 1 : found;
        }
        const square queen = open->head;
        found = search(size, placed, open->tail, found);
        const typename Strategy::scope dying(this->arena_);
        const list with_queen = this->prepend(queen, placed);
        const list rest = filter(queen, open->tail);
        found = search(size, with_queen, rest, found);
        this->free(rest, nullptr);
        this->free(with_queen, placed);
        return found;
    }
};

template <class Strategy>
using of = played_alike<uncounted<Strategy>, uncounted_directly<Strategy>>;

}  // namespace lab::queens

#pragma once
// The modern program without functions as arguments: filter asks `safe` itself, and search counts what it finds.

#include <utility>

#include "modern.hpp"

namespace lab::queens {

template <class Strategy>
class direct : public modern<Strategy> {
public:
    static int run(int size) { return search(size, list(), direct::squares(size, 0, 0), 0); }

private:
    using list = queens::list<Strategy>;

    static list filter(square queen, const list& all) {
        if (!all) {
            return {};
        }
        list tail = filter(queen, all->tail);
        if (safe(queen, all->head)) {
            return prepend<Strategy>(all->head, std::move(tail));
        }
        return tail;
    }

    static int search(int size, const list& placed, const list& open, int found) {
        if (!open) {
            return direct::length(placed) == size ? found + 1 : found;
        }
        const square queen = open->head;
        found = search(size, placed, open->tail, found);
        return search(size, prepend<Strategy>(queen, placed), filter(queen, open->tail), found);
    }
};

}  // namespace lab::queens

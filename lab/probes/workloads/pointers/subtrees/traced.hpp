#pragma once
// A tree in a traced heap. It is old when subtrees are replaced: a full collection has found it.

#include <freehold/traced/traced_heap.hpp>

#include "plot.hpp"

namespace lab::subtrees {

struct traced_node {
    int number;
    freehold::traced_ptr<traced_node> left = nullptr;
    freehold::traced_ptr<traced_node> right = nullptr;
};

template <class Strategy>
class traced : public collecting<Strategy> {
    using view = freehold::traced_view<traced_node>;

public:
    static void prepare(int nodes) {
        made = 0;
        living = grow(levels_of(nodes));
        Strategy::heap().collect();
        Strategy::fill_nursery([] { (void)Strategy::heap().template make_unrooted<traced_node>(0); });
    }

    static int replace(int nodes, random_numbers& random) {
        const view fresh = grow(levels_of_a_subtree);
        freehold::traced_ptr<traced_node>& place = random_place(living.get(), nodes, random);
        const int number = place->number;
        place = fresh;
        return number;
    }

    static void finish() { living = nullptr; }
    static void clear() { Strategy::give_back(); }

private:
    static view grow(int levels) {
        if (levels == 0) {
            return nullptr;
        }
        const int number = made++;
        const typename Strategy::template local<traced_node> left = grow(levels - 1);
        const view right = grow(levels - 1);
        return Strategy::heap().template make_unrooted<traced_node>(number, left, right);
    }

    static inline int made = 0;
    static inline freehold::traced_root<traced_node> living;
};

template <class Strategy>
using of = replaced<replacing<traced<Strategy>>>;

}  // namespace lab::subtrees

#pragma once
// A tree in a traced heap. It is old when the others are made: a full collection has found it.

#include <freehold/traced/traced_heap.hpp>

#include <cstdint>

#include "plot.hpp"

namespace lab::live_tree {

struct traced_node {
    int number;
    freehold::traced_ptr<traced_node> left = nullptr;
    freehold::traced_ptr<traced_node> right = nullptr;
    freehold::traced_ptr<traced_node> stored = nullptr;
};

template <class Strategy, bool Stores>
class traced : public collecting<Strategy> {
public:
    static void prepare(int nodes) {
        living = grow(nodes);
        Strategy::heap().collect();
        Strategy::fill_nursery([] { (void)Strategy::heap().template make_unrooted<traced_node>(0); });
    }

    static std::uint64_t run(int nodes) {
        freehold::traced_heap& heap = Strategy::heap();
        random_numbers random;
        std::uint64_t sum = 0;
        for (int made = 1; made <= made_beside(nodes); ++made) {
            const view young = heap.make_unrooted<traced_node>(made);
            sum += static_cast<std::uint64_t>(young->number);
            if (Stores && made % nodes_for_one_stored == 0) {
                traced_node* const leaf = random_leaf(living.get(), random);
                sum += leaf->stored ? static_cast<std::uint64_t>(leaf->stored->number) : 0;
                leaf->stored = young;
            }
        }
        return sum;
    }

    static void finish() { living = nullptr; }
    static void clear() { Strategy::give_back(); }

private:
    using view = freehold::traced_view<traced_node>;

    static view grow(int nodes) {
        if (nodes == 0) {
            return nullptr;
        }
        const freehold::traced_local<traced_node> left = grow(left_part(nodes));
        return Strategy::heap().template make_unrooted<traced_node>(0, left, grow(right_part(nodes)));
    }

    static inline freehold::traced_root<traced_node> living;
};

template <class Strategy>
using of = beside<traced<Strategy, false>, traced<Strategy, true>>;

}  // namespace lab::live_tree

#pragma once
// Rings in a traced heap. A growing ring needs no traced_local: its first node, an argument of each allocation, leads
// to the others.

#include <freehold/traced/traced_heap.hpp>

#include <cstdint>
#include <vector>

#include "plot.hpp"

namespace lab::rings {

struct traced_node {
    int number;
    freehold::traced_ptr<traced_node> next;
};

// Returns the first of `nodes` nodes, which are numbered from `number` on.
freehold::traced_view<traced_node> make_traced_ring(auto& heap, int nodes, int number) {
    const freehold::traced_view<traced_node> last =
        heap.template make_unrooted<traced_node>(number + nodes - 1, nullptr);
    freehold::traced_view<traced_node> first = last;
    for (int i = nodes - 2; i >= 0; --i) {
        first = heap.template make_unrooted<traced_node>(number + i, first);
    }
    last->next = first;
    return first;
}

template <class Strategy, int (*Living)(int nodes)>
struct traced_churn : collecting<Strategy> {
    static std::uint64_t run(int nodes) {
        freehold::traced_heap& heap = Strategy::heap();
        std::vector<freehold::traced_root<traced_node>> living(Living(nodes));
        std::uint64_t sum = 0;
        for (int made = 0; made < nodes; made += ring_size) {
            auto& place = living[made / ring_size % living.size()];
            place = make_traced_ring(heap, ring_size, made);
            sum += static_cast<std::uint64_t>(place->number);
        }
        return sum;
    }

    static void prepare(int) {
        Strategy::fill_nursery([] { run(100'000); });
    }
    static void clear() { Strategy::give_back(); }
};

template <class Strategy>
struct traced_cursor : collecting<Strategy> {
    static void prepare(int steps) { living = make_traced_ring(Strategy::heap(), nodes_around(steps), 0); }

    static std::uint64_t run(int steps) {
        freehold::traced_view<traced_node> at = living;
        std::uint64_t sum = 0;
        for (; steps > 0; --steps) {
            sum += static_cast<std::uint64_t>(at->number);
            at = at->next;
        }
        return sum;
    }

    static void finish() { living = nullptr; }
    static void clear() { Strategy::give_back(); }

private:
    static inline freehold::traced_root<traced_node> living;
};

template <class Strategy>
using of = turned<traced_churn<Strategy, few>, traced_churn<Strategy, a_tenth>, traced_cursor<Strategy>>;

}  // namespace lab::rings

#pragma once
// Rings in which each node owns the next one. The last one owns the first where cycles are collected, and otherwise has
// a weak pointer to it.

#include <cstdint>
#include <utility>
#include <vector>

#include "plot.hpp"
#include "pointer_strategy.hpp"

namespace lab::rings {

template <class Strategy>
struct node : Strategy::template base<node<Strategy>> {
    using pointer = typename Strategy::template pointer<node>;

    int number;
    pointer next;

    node(int number, pointer&& next) : number(number), next(std::move(next)) {}

    void close(const pointer& first) { next = first; }
    const pointer& following() const { return next; }
    void trace(auto& visit) const { visit(next); }
};

template <class Strategy>
    requires(has_weak<Strategy> && !collects<Strategy>)
struct node<Strategy> : Strategy::template base<node<Strategy>> {
    using pointer = typename Strategy::template pointer<node>;

    int number;
    pointer next;
    typename Strategy::template weak<node> first;

    node(int number, pointer&& next) : number(number), next(std::move(next)) {}

    void close(const pointer& first) { this->first = first; }
    pointer following() const { return next ? next : first.lock(); }
};

template <class Strategy>
using ring = typename node<Strategy>::pointer;

// Returns the first of `nodes` nodes, which are numbered from `number` on.
template <class Strategy>
ring<Strategy> make_ring(int nodes, int number) {
    using node = rings::node<Strategy>;
    ring<Strategy> first = make_owner<Strategy, node>(number + nodes - 1, ring<Strategy>());
    node& last = *first;
    for (int i = nodes - 2; i >= 0; --i) {
        first = make_owner<Strategy, node>(number + i, std::move(first));
    }
    last.close(first);
    return first;
}

template <class Strategy, int (*Living)(int nodes)>
struct churn : collecting<Strategy> {
    static std::uint64_t run(int nodes) {
        std::vector<ring<Strategy>> living(Living(nodes));
        std::uint64_t sum = 0;
        for (int made = 0; made < nodes; made += ring_size) {
            ring<Strategy>& place = living[made / ring_size % living.size()];
            place = make_ring<Strategy>(ring_size, made);
            sum += static_cast<std::uint64_t>(place->number);
        }
        return sum;
    }
};

template <class Strategy>
struct cursor : collecting<Strategy> {
    static void prepare(int steps) { living = make_ring<Strategy>(nodes_around(steps), 0); }

    static std::uint64_t run(int steps) {
        ring<Strategy> at = living;
        std::uint64_t sum = 0;
        for (; steps > 0; --steps) {
            sum += static_cast<std::uint64_t>(at->number);
            at = at->following();
        }
        return sum;
    }

    // Takes the ring apart: not every pointer can release a long chain.
    static void finish() {
        while (living) {
            ring<Strategy> next = std::move(living->next);
            living = std::move(next);
        }
    }

private:
    static inline ring<Strategy> living;
};

// Cycles are collected, or left open by weak pointers.
template <class Strategy>
    requires(copies<Strategy, node> && (has_weak<Strategy> || collects<Strategy>))
using of = turned<churn<Strategy, few>, churn<Strategy, a_tenth>, cursor<Strategy>>;

}  // namespace lab::rings

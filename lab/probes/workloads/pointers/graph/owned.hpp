#pragma once
// A graph whose nodes own each other, where cycles are collected.

#include <array>
#include <cstdint>
#include <vector>

#include "plot.hpp"
#include "pointer_strategy.hpp"

namespace lab::graph {

template <class Strategy>
struct node : Strategy::template base<node<Strategy>> {
    using pointer = typename Strategy::template pointer<node>;

    int number;
    std::array<pointer, edges_of_a_node> edges;

    explicit node(int number) : number(number) {}

    void trace(auto& visit) const { visit(edges); }
};

template <class Strategy>
class owned : public collecting<Strategy> {
public:
    static std::uint64_t run(int nodes) {
        owned graph(nodes);
        return churn<owned>::run(graph, nodes);
    }

    void make(int place, int number) { places_[place] = make_owner<Strategy, node>(number); }
    void connect(int place, int edge, int to) { places_[place]->edges[edge] = places_[to]; }
    int number_behind(int place, int edge) const { return places_[place]->edges[edge]->number; }

    void pair_off(int one, int other) {
        places_[one]->edges.fill(places_[other]);
        places_[other]->edges.fill(places_[one]);
    }

private:
    using node = graph::node<Strategy>;

    explicit owned(int nodes) : places_(nodes) {}

    std::vector<typename node::pointer> places_;
};

// Its cycles must be collected.
template <class Strategy>
    requires(copies<Strategy, node> && collects<Strategy>)
using of = churned<owned<Strategy>>;

}  // namespace lab::graph

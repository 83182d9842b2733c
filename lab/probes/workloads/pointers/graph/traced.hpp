#pragma once
// A graph in a traced heap, and its places in one object of it.

#include <freehold/traced/traced_heap.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "plot.hpp"

namespace lab::graph {

struct traced_node {
    int number;
    std::array<freehold::traced_ptr<traced_node>, edges_of_a_node> edges = {};
};

struct traced_places {
    std::vector<freehold::traced_ptr<traced_node>> nodes;
};

template <class Strategy>
class traced : public collecting<Strategy> {
public:
    static std::uint64_t run(int nodes) {
        traced graph(Strategy::heap(), nodes);
        return churn<traced>::run(graph, nodes);
    }

    static void prepare(int) {
        Strategy::fill_nursery([] { run(1'000); });
    }
    static void clear() { Strategy::give_back(); }

    void make(int place, int number) { places_->nodes[place] = heap_.make_unrooted<traced_node>(number); }
    void connect(int place, int edge, int to) { places_->nodes[place]->edges[edge] = places_->nodes[to]; }
    int number_behind(int place, int edge) const { return places_->nodes[place]->edges[edge]->number; }

    void pair_off(int one, int other) {
        places_->nodes[one]->edges.fill(places_->nodes[other]);
        places_->nodes[other]->edges.fill(places_->nodes[one]);
    }

private:
    traced(freehold::traced_heap& used, int nodes) : heap_(used), places_(heap_.make<traced_places>()) {
        places_->nodes.resize(nodes);
    }

    freehold::traced_heap& heap_;
    freehold::traced_local<traced_places> places_;
};

template <class Strategy>
using of = churned<traced<Strategy>>;

}  // namespace lab::graph

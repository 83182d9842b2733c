#pragma once
// A graph of raw nodes, where a collector finds by itself which of them are dead.

#include <array>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>

#include "memory_strategy.hpp"
#include "plot.hpp"

namespace lab::graph {

struct raw_node {
    int number;
    std::array<raw_node*, edges_of_a_node> edges;
};

template <class Strategy>
class uncounted : public collecting<Strategy> {
public:
    static std::uint64_t run(int nodes) {
        uncounted graph(nodes);
        return churn<uncounted>::run(graph, nodes);
    }

    static void clear() { Strategy::give_back(); }

    void make(int place, int number) { places_[place] = ::new (allocator_.allocate(1)) raw_node{number, {}}; }
    void connect(int place, int edge, int to) { places_[place]->edges[edge] = places_[to]; }
    int number_behind(int place, int edge) const { return places_[place]->edges[edge]->number; }

    void pair_off(int one, int other) {
        places_[one]->edges.fill(places_[other]);
        places_[other]->edges.fill(places_[one]);
    }

private:
    template <class T>
    using allocator = allocator_of<typename Strategy::arena, T>;

    explicit uncounted(int nodes) : places_(nodes, nullptr, arena_.template allocator<raw_node*>()) {}

    typename Strategy::arena arena_;
    allocator<raw_node> allocator_ = arena_.template allocator<raw_node>();
    std::vector<raw_node*, allocator<raw_node*>> places_;  // where the collector sees them
};

// Only a collector knows which nodes are dead.
template <class Strategy>
    requires requires { Strategy::collections(); }
using of = churned<uncounted<Strategy>>;

}  // namespace lab::graph

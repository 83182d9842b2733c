#pragma once
// graph: `x` nodes, each with four edges that lead to others at random. Edges are rewired, 32 for each node; and with
// every 32nd, two nodes leave the graph, lead to each other alone from then on, and have new ones in their places. What
// has left dies in a cycle, once the last edge that led there is rewired.

#include <cstdint>

#include "registry/extents.hpp"
#include "workloads/pointers/random_numbers.hpp"
#include "workloads/program.hpp"

namespace lab::graph {

constexpr int edges_of_a_node = 4;
constexpr int rewired_for_each_node = 32;
constexpr int rewired_for_two_replaced = 32;

// The program. A Graph names make(place, number), which puts a new node without edges there; connect(place, edge, to),
// by which that edge leads to the node at the place `to`; number_behind(place, edge), of the node that it leads to; and
// pair_off(one, other), by which all edges of the nodes at both places lead to the other one.
template <class Graph>
class churn {
public:
    static std::uint64_t run(Graph& graph, int nodes) { return churn(graph, nodes).rewire(); }

private:
    churn(Graph& graph, int nodes) : graph_(graph), nodes_(nodes) {
        for (int place = 0; place < nodes; ++place) {
            graph_.make(place, made_++);
        }
        for (int place = 0; place < nodes; ++place) {
            connect(place);
        }
    }

    std::uint64_t rewire() {
        std::uint64_t sum = 0;
        for (int done = 1; done <= nodes_ * rewired_for_each_node; ++done) {
            const int place = random_place();
            const int edge = random_.below(edges_of_a_node);
            sum += static_cast<std::uint64_t>(graph_.number_behind(place, edge));
            graph_.connect(place, edge, random_place());
            if (done % rewired_for_two_replaced == 0) {
                replace_two();
            }
        }
        return sum;
    }

    void replace_two() {
        const int one = random_place();
        const int other = random_place();
        graph_.pair_off(one, other);
        for (const int place : {one, other}) {
            graph_.make(place, made_++);
            connect(place);
        }
    }

    void connect(int place) {
        for (int edge = 0; edge < edges_of_a_node; ++edge) {
            graph_.connect(place, edge, random_place());
        }
    }

    int random_place() { return random_.below(nodes_); }

    Graph& graph_;
    int nodes_;
    int made_ = 0;
    random_numbers random_;
};

template <class Program>
struct churned {
    static constexpr series plot[] = {program<extents, Program>::as("edges rewired")};

    static std::uint64_t checksum() { return program<extents, Program>::found; }
};

}  // namespace lab::graph

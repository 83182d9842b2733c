#pragma once
// Groups of objects that own each other, and the shortest cycle through one of them.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../../core/config.hpp"

namespace freehold::inline v0_2 {

// An object, and one of the owners in it.
struct diagnosed_owner {
    const void* object;
    std::string type;    // its name
    std::size_t number;  // of diagnosed objects, in the order in which they were made; of others, in the snapshot
    std::size_t place;   // of the owner among those in the object, in the order of trace(), from 1 on
};

namespace detail {

// A Graph has size(), degree(i), target(i, k), which is the object that the edge k of object i leads to, and
// is_held(i).
template <class Graph>
class graph_cycles {
public:
    static constexpr std::size_t nobody = (std::numeric_limits<std::size_t>::max)();

    struct edge {
        std::size_t from = nobody;
        std::size_t place = 0;  // among the edges of `from`, from 0 on
    };

    // Throws: std::bad_alloc. Complexity: linear in the objects and edges.
    explicit graph_cycles(const Graph& graph) : graph_(graph), groups_(find_groups()), reached_by_(graph.size()) {}

    // Returns: a number that objects share if each leads to the other.
    [[nodiscard]] std::size_t group_of(std::size_t i) const noexcept { return groups_[i]; }

    // Returns: the edges of a shortest path from the object back to itself; none if there is no such path.
    [[nodiscard]] std::vector<edge> circle_through(std::size_t start) {
        std::vector<std::size_t> reached{start};
        for (std::size_t i = 0; i < reached.size() && reached_by_[start].from == nobody; ++i) {
            for (std::size_t k = 0; k < graph_.degree(reached[i]); ++k) {
                const std::size_t to = graph_.target(reached[i], k);
                if (groups_[to] != groups_[start] || reached_by_[to].from != nobody) continue;
                reached_by_[to] = {reached[i], k};
                reached.push_back(to);
            }
        }
        std::vector<edge> way;
        if (reached_by_[start].from != nobody) {
            for (std::size_t at = start; way.empty() || at != start; at = way.back().from) {
                way.push_back(reached_by_[at]);
            }
        }
        std::ranges::reverse(way);
        for (const std::size_t each : reached) reached_by_[each] = {};
        return way;
    }

private:
    // Returns: for each object the number of its strongly connected component (Tarjan's algorithm, with a stack of its
    // own instead of recursion).
    [[nodiscard]] std::vector<std::size_t> find_groups() const {
        struct visit {
            std::size_t at;
            std::size_t next_edge;
        };
        const std::size_t size = graph_.size();
        std::vector<std::size_t> groups(size, nobody);
        std::vector<std::size_t> order(size, nobody);  // of discovery
        std::vector<std::size_t> lowest(size);         // order of an open object that can be reached
        std::vector<std::size_t> open;                 // discovered, without a group yet
        std::size_t seen = 0;
        for (std::size_t start = 0; start < size; ++start) {
            if (order[start] != nobody) continue;
            std::vector<visit> path{{start, 0}};
            while (!path.empty()) {
                const auto [at, next_edge] = path.back();
                if (next_edge == 0) {
                    order[at] = lowest[at] = seen++;
                    open.push_back(at);
                }
                if (next_edge < graph_.degree(at)) {
                    ++path.back().next_edge;
                    const std::size_t to = graph_.target(at, next_edge);
                    if (order[to] == nobody) {
                        path.push_back({to, 0});
                    } else if (groups[to] == nobody) {
                        lowest[at] = (std::min)(lowest[at], order[to]);
                    }
                    continue;
                }
                path.pop_back();
                if (!path.empty()) lowest[path.back().at] = (std::min)(lowest[path.back().at], lowest[at]);
                while (lowest[at] == order[at] && groups[at] == nobody) {
                    groups[open.back()] = at;
                    open.pop_back();
                }
            }
        }
        return groups;
    }

    const Graph& graph_;
    std::vector<std::size_t> groups_;
    std::vector<edge> reached_by_;  // no edge between calls
};

using cycles = std::vector<std::vector<diagnosed_owner>>;

// Returns: for every group of objects that lead to each other and that nothing holds, a shortest cycle through the
// group's first object in the order nth(0), nth(1), …; describe(edge) is the owner for each edge.
template <class Graph, class Nth, class Describe>
[[nodiscard]] cycles find_unheld_cycles(const Graph& graph, Nth nth, Describe describe) {
    graph_cycles groups(graph);
    cycles result;
    std::vector<bool> is_told(graph.size());  // by group
    for (std::size_t n = 0; n < graph.size(); ++n) {
        const std::size_t i = nth(n);
        if (graph.is_held(i) || is_told[groups.group_of(i)]) continue;
        is_told[groups.group_of(i)] = true;
        std::vector<diagnosed_owner> circle;
        for (const auto& edge : groups.circle_through(i)) circle.push_back(describe(edge));
        if (!circle.empty()) result.push_back(std::move(circle));
    }
    return result;
}

// Effects: prints the cycles, a line for each owner. Returns: their number.
inline std::size_t print_cycles(const cycles& found, const char* what, bool with_addresses, std::FILE* output) {
    for (std::size_t i = 0; i < found.size(); ++i) {
        std::fprintf(output, "freehold: cycle %zu of %zu %s:\n", i + 1, found.size(), what);
        for (std::size_t j = 0; j < found[i].size(); ++j) {
            const diagnosed_owner& owner = found[i][j];
            const diagnosed_owner& owned = found[i][(j + 1) % found[i].size()];
            std::fprintf(output, "    %s #%zu", owner.type.c_str(), owner.number);
            if (with_addresses) std::fprintf(output, " at %p", owner.object);
            std::fprintf(output, " owns, by its owner %zu, %s #%zu\n", owner.place, owned.type.c_str(), owned.number);
        }
    }
    return found.size();
}

}  // namespace detail
}  // namespace freehold

#pragma once
// The graph of diagnosed objects and their owners, and the cycles in it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "diagnosed_objects.hpp"

namespace freehold::detail {

class ownership_graph {
public:
    static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

    struct edge {
        std::size_t from;
        std::size_t to;
        std::size_t place;  // of the owner among those in `from`, from 1 on
    };

    struct node {
        const void* address;
        const diagnosed_type* type;
        std::uint64_t number;
        std::vector<edge> owns;
        long owners = 0;       // 0 where no owner was found
        long found = 0;        // of these, in other diagnosed objects
        bool is_held = false;  // reachable from an owner outside
    };

    // Effects: finds the owners in all diagnosed objects. Throws: std::bad_alloc.
    ownership_graph() {
        for (const auto& [address, object] : diagnosed_objects::of_the_program().all()) {
            nodes_.push_back({address, object.type, object.number, {}});
        }
        for (std::size_t i = 0; i < nodes_.size(); ++i) find_owned(i);
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].owners > nodes_[i].found || nodes_[i].found == 0) hold(i);
        }
    }

    [[nodiscard]] const std::vector<node>& nodes() const noexcept { return nodes_; }

    // Returns: the object that contains the address, or nobody.
    [[nodiscard]] std::size_t at(const void* address) const noexcept {
        const auto after = std::ranges::upper_bound(nodes_, address, std::less<>(), &node::address);
        if (after == nodes_.begin()) return nobody;
        const auto found = std::prev(after);
        const auto* const begin = static_cast<const std::byte*>(found->address);
        const auto distance = static_cast<std::size_t>(static_cast<const std::byte*>(address) - begin);
        return distance < found->type->bytes ? static_cast<std::size_t>(found - nodes_.begin()) : nobody;
    }

    // Returns: the owners that lead to an object.
    [[nodiscard]] std::vector<edge> owners_of(std::size_t owned) const {
        std::vector<edge> result;
        for (const node& each : nodes_) {
            std::ranges::copy_if(each.owns, std::back_inserter(result),
                                 [owned](const edge& owner) { return owner.to == owned; });
        }
        return result;
    }

    // Returns: for every group of objects that own each other and have no owner outside, a shortest cycle through the
    // group's oldest object.
    [[nodiscard]] std::vector<std::vector<edge>> cycles() const {
        const std::vector<std::size_t> groups = find_groups();
        std::vector<std::vector<edge>> result;
        std::vector<bool> is_told(nodes_.size());  // by group
        std::vector<edge> reached_by(nodes_.size(), no_edge);
        for (const std::size_t i : in_order_of_making()) {
            if (nodes_[i].is_held || is_told[groups[i]]) continue;
            is_told[groups[i]] = true;
            std::vector<edge> circle = circle_through(i, groups, reached_by);
            if (!circle.empty()) result.push_back(std::move(circle));
        }
        return result;
    }

private:
    void find_owned(std::size_t from) {
        owner_visitor visitor;
        nodes_[from].type->trace(nodes_[from].address, visitor);
        for (std::size_t i = 0; i < visitor.found.size(); ++i) {
            const std::size_t to = at(visitor.found[i].target);
            if (to == nobody) continue;
            nodes_[from].owns.push_back({from, to, i + 1});
            nodes_[to].owners = visitor.found[i].owners;
            ++nodes_[to].found;
        }
    }

    // Effects: marks the object, and all that it leads to, as reachable from outside.
    void hold(std::size_t held) {
        std::vector<std::size_t> waiting{held};
        while (!waiting.empty()) {
            node& next = nodes_[waiting.back()];
            waiting.pop_back();
            if (next.is_held) continue;
            next.is_held = true;
            for (const edge& owned : next.owns) waiting.push_back(owned.to);
        }
    }

    [[nodiscard]] std::vector<std::size_t> in_order_of_making() const {
        std::vector<std::size_t> order(nodes_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, {}, [this](std::size_t i) { return nodes_[i].number; });
        return order;
    }

    // Returns: for each object the number of its strongly connected component: it shares that with the objects that it
    // leads to and that lead back (Tarjan's algorithm, with a stack of its own instead of recursion).
    [[nodiscard]] std::vector<std::size_t> find_groups() const {
        struct visit {
            std::size_t at;
            std::size_t next_edge;
        };
        std::vector<std::size_t> groups(nodes_.size(), nobody);
        std::vector<std::size_t> order(nodes_.size(), nobody);  // of discovery
        std::vector<std::size_t> lowest(nodes_.size());         // order of an open object that can be reached
        std::vector<std::size_t> open;                          // discovered, without a group yet
        std::size_t seen = 0;
        for (std::size_t start = 0; start < nodes_.size(); ++start) {
            if (order[start] != nobody) continue;
            std::vector<visit> path{{start, 0}};
            while (!path.empty()) {
                const auto [at, next_edge] = path.back();
                if (next_edge == 0) {
                    order[at] = lowest[at] = seen++;
                    open.push_back(at);
                }
                if (next_edge < nodes_[at].owns.size()) {
                    ++path.back().next_edge;
                    const std::size_t to = nodes_[at].owns[next_edge].to;
                    if (order[to] == nobody) {
                        path.push_back({to, 0});
                    } else if (groups[to] == nobody) {
                        lowest[at] = std::min(lowest[at], order[to]);
                    }
                    continue;
                }
                path.pop_back();
                if (!path.empty()) lowest[path.back().at] = std::min(lowest[path.back().at], lowest[at]);
                while (lowest[at] == order[at] && groups[at] == nobody) {
                    groups[open.back()] = at;
                    open.pop_back();
                }
            }
        }
        return groups;
    }

    // Returns: the edges of a shortest path from the object back to itself; none if there is no such path.
    // Requires: `reached_by` holds no edge. It holds none afterwards.
    [[nodiscard]] std::vector<edge> circle_through(std::size_t start, const std::vector<std::size_t>& groups,
                                                   std::vector<edge>& reached_by) const {
        std::vector<std::size_t> reached{start};
        for (std::size_t i = 0; i < reached.size() && reached_by[start].from == nobody; ++i) {
            for (const edge& step : nodes_[reached[i]].owns) {
                if (groups[step.to] != groups[start] || reached_by[step.to].from != nobody) continue;
                reached_by[step.to] = step;
                reached.push_back(step.to);
            }
        }
        std::vector<edge> way;
        if (reached_by[start].from != nobody) {
            for (std::size_t at = start; way.empty() || at != start; at = way.back().from) {
                way.push_back(reached_by[at]);
            }
        }
        std::ranges::reverse(way);
        for (const std::size_t each : reached) reached_by[each] = no_edge;
        return way;
    }

    static constexpr edge no_edge{nobody, nobody, 0};

    std::vector<node> nodes_;
};

}  // namespace freehold::detail

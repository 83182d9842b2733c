#pragma once
// The graph of diagnosed objects and their owners, and the cycles in it.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "diagnosed_objects.hpp"

namespace freehold::inline v0_2::detail {

class ownership_graph {
public:
    static constexpr std::size_t nobody = (std::numeric_limits<std::size_t>::max)();

    struct edge {
        std::size_t from;
        std::size_t to;
        std::size_t place;  // of the owner among those in `from`, from 1 on
    };

    struct node {
        const void* address;
        const diagnosed_type* type;
        std::size_t number;
        std::vector<edge> owns;
        long owners = 0;       // 0 where no owner was found
        long found = 0;        // of these, in other diagnosed objects
        bool is_held = false;  // reachable from an owner outside
    };

    // Effects: finds the owners in all diagnosed objects. Throws: std::bad_alloc.
    ownership_graph() {
        for (const auto& [address, object] : diagnosed_objects::of_the_program().all()) {
            nodes_.push_back({address, object.type, static_cast<std::size_t>(object.number), {}});
        }
        for (std::size_t i = 0; i < nodes_.size(); ++i) find_owned(i);
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].owners > nodes_[i].found || nodes_[i].found == 0) hold(i);
        }
    }

    [[nodiscard]] const std::vector<node>& nodes() const noexcept { return nodes_; }

    // For graph_cycles.
    [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
    [[nodiscard]] std::size_t degree(std::size_t i) const noexcept { return nodes_[i].owns.size(); }
    [[nodiscard]] std::size_t target(std::size_t i, std::size_t k) const noexcept { return nodes_[i].owns[k].to; }
    [[nodiscard]] bool is_held(std::size_t i) const noexcept { return nodes_[i].is_held; }

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

    // Returns: the objects in the order in which they were made.
    [[nodiscard]] std::vector<std::size_t> in_order_of_making() const {
        std::vector<std::size_t> order(nodes_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, {}, [this](std::size_t i) { return nodes_[i].number; });
        return order;
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

    std::vector<node> nodes_;
};

}  // namespace freehold::detail

#pragma once
// tracked_node: an object of a traced heap with an edge of every kind, which is counted as long as it is alive.

#include <freehold/traced/traced_array.hpp>
#include <freehold/traced/traced_ptr.hpp>
#include <freehold/traced/traced_view.hpp>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "tracked.hpp"

namespace support {

struct tracked_node {
    using edge = freehold::traced_ptr<tracked_node>;

    int id = 0;
    tracked counted = {};
    edge next = {};
    std::array<edge, 2> pair = {};
    std::optional<edge> maybe = {};
    std::variant<int, edge> either = {};
    std::vector<edge> many = {};
    std::map<int, edge> named = {};
    std::unique_ptr<edge> owned = {};
    freehold::traced_ptr<freehold::traced_array<edge>> array = {};  // of edges that belong to this node

    static constexpr int kinds = 8;

    // Effects: stores in the edge of that kind.
    void set(int kind, const freehold::traced_view<tracked_node>& target) {
        switch (kind) {
            case 0: next = target; break;
            case 1: pair[0] = target; break;
            case 2: pair[1] = target; break;
            case 3: maybe.emplace(target); break;
            case 4: either.emplace<edge>(target); break;
            case 5:
                if (many.size() > 3) many.clear();
                many.push_back(target);
                break;
            case 6: named[id % 3] = target; break;
            default: owned = std::make_unique<edge>(target); break;
        }
    }
};

}  // namespace support

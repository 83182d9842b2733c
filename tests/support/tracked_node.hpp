#pragma once
// tracked_node: an object of a traced heap with an edge of every kind, which is counted as long as it is alive.

#include <freehold/traced/traced_array.hpp>
#include <freehold/traced/traced_deque.hpp>
#include <freehold/traced/traced_map.hpp>
#include <freehold/traced/traced_ptr.hpp>
#include <freehold/traced/traced_unordered_map.hpp>
#include <freehold/traced/traced_vector.hpp>
#include <freehold/traced/traced_view.hpp>

#include <array>
#include <cstddef>
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
    freehold::traced_vector<edge> children = {};
    freehold::traced_deque<edge> waiting = {};
    freehold::traced_map<int, edge> sorted = {};
    freehold::traced_unordered_map<edge, edge> hashed = {};

    static constexpr int kinds = 12;

    // Whether a target of that kind stays when another one is stored.
    [[nodiscard]] static constexpr bool keeps_both(int kind) noexcept { return kind == 5 || kind >= 8; }

    // Effects: stores in the edge of that kind. May collect. Requires: something keeps the target alive.
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
            case 7: owned = std::make_unique<edge>(target); break;
            case 8:
                if (children.size() > 6) children.erase(children.begin() + 1, children.begin() + 4);
                children.insert(children.begin() + static_cast<std::ptrdiff_t>(children.size() / 2), target);
                break;
            case 9:
                if (waiting.size() > 6) waiting.resize(2);
                if (waiting.size() > 3) waiting.pop_back();
                waiting.push_front(target);
                break;
            case 10:
                if (sorted.size() > 6) sorted.erase(sorted.begin() + 1);
                sorted[target->id % 10] = target;
                break;
            default:
                if (hashed.size() > 6) hashed.erase(hashed.begin()->first);
                hashed[target] = next;
                break;
        }
    }
};

}  // namespace support

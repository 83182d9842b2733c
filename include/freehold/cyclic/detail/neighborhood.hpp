#pragma once
// neighborhood: an object and those around it that lead back to what was visited, as the nodes of a tree with links to
// the parent do, or of a doubly linked list. So a walk does not visit what lies behind a link that leads out of a dead
// part, to its living parent.

#include <cstddef>

#include "../../core/growing_buffer.hpp"
#include "cyclic_header.hpp"
#include "graph_walk.hpp"

namespace freehold::inline v0_2::detail {

class neighborhood {
public:
    explicit neighborhood(graph_walk& walk) noexcept : walk_(walk) {}

    // Effects: visits `from` and the objects around it that lead back, and subtracts their edges. It looks at `nearest`
    // objects and, if `from` leads to one that leads back, as the root of a dead part does, at up to `most`.
    // Returns: false if there are more, or walk.has_failed(); then some are visited, and no edge is subtracted.
    // Requires: no object is visited.
    [[nodiscard]] bool reach(cyclic_header& from, std::size_t nearest, std::size_t most,
                             const walk_scope& looked_at) noexcept {
        graph_walk& walk = walk_;
        growing_list<cyclic_header*>& visited = walk.visited();
        walk.visit(from, looked_at);
        neighbors_.truncate(0);
        std::size_t ends[max_ahead] = {};  // of the neighbors of the objects that were traced last
        std::size_t traced = 0;
        std::size_t begin = 0;
        std::size_t left = 0;
        std::size_t direct = 0;     // neighbors of the first object, which follow it
        std::size_t end_at = most;  // no more objects are looked at
        std::size_t i = 0;
        for (; i < visited.size() && i < end_at && !walk.has_failed(); ++i) {
            // The neighbors are looked at when some more objects were traced, so that they are in the cache.
            for (; traced < visited.size() && traced < end_at && traced < i + max_ahead; ++traced) {
                walk.list_targets(*visited[traced], neighbors_);
                ends[traced % max_ahead] = neighbors_.size();
            }
            cyclic_header& header = *visited[i];
            const std::size_t end = ends[i % max_ahead];
            bool leads_back = i == 0;
            for (std::size_t k = begin; k < end; ++k) leads_back |= neighbors_[k]->is(cyclic_header::visited);
            if (!leads_back) {
                header.clear(cyclic_header::visited);
                if (i <= direct) end_at = most;
            } else {
                visited[left++] = &header;
                visit_neighbors(begin, end, looked_at);
            }
            begin = end;
            if (i == 0) {
                direct = visited.size() - 1;
                end_at = smaller(most, larger(nearest, visited.size()));
            }
        }
        const bool is_whole = i == visited.size() && !walk.has_failed();
        for (; i < visited.size(); ++i) visited[left++] = visited[i];
        visited.truncate(left);
        if (is_whole) walk.subtract_inner_edges();
        return is_whole;
    }

    // Returns: the number of edges that the last call of reach() has followed.
    [[nodiscard]] std::size_t followed() const noexcept { return neighbors_.size(); }

private:
    // Effects: visits those from `begin` to `end`.
    void visit_neighbors(std::size_t begin, std::size_t end, const walk_scope& looked_at) noexcept {
        for (std::size_t k = begin; k < end; ++k) {
            if (!neighbors_[k]->is(cyclic_header::acyclic)) walk_.visit(*neighbors_[k], looked_at);
        }
    }

    static constexpr std::size_t max_ahead = 8;

    graph_walk& walk_;
    growing_list<cyclic_header*> neighbors_;  // that the objects lead to
};

}  // namespace freehold::detail

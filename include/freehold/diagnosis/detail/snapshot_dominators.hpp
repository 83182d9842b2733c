#pragma once
// The dominators of the objects of a heap_snapshot: the algorithm of Lengauer and Tarjan with path compression.
//
// Semi-NCA is shorter, but takes quadratic time where a long list ends in an object whose many members have other
// owners, too. Nothing is recursive: a list may be as long as the heap is large.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "../../core/config.hpp"
#include "../heap_snapshot.hpp"
#include "large_vectors.hpp"

namespace freehold::inline v0_2::detail {

// Held objects have numbers from 1 on, in the order in which a depth-first search finds them. 0 is above all roots.
struct snapshot_dominators {
    std::vector<std::uint32_t> objects;     // the index of each in the snapshot
    std::vector<std::uint32_t> dominators;  // the number of each one's dominator, which is the smaller
};

class dominator_search {
public:
    // Throws: std::bad_alloc. Complexity: m log n. Cost: 36 bytes for each held object, and 4 for each pointer to an
    // object that the search has found before the pointer's own.
    [[nodiscard]] static snapshot_dominators of(const heap_snapshot& snapshot) {
        dominator_search self(snapshot);
        self.find_objects();
        self.find_dominators();
        return {std::move(self.objects_), std::move(self.dominators_)};
    }

private:
    using number = std::uint32_t;

    static constexpr number ahead = 8;  // that many steps before something is read it is prefetched

    // Of an object. What is read together is in one line of the cache.
    struct node {
        number parent;  // in the tree of the search; later farther up
        number semi;    // the semidominator
        number least;   // the semidominator of `label`; in the search, the next pointer of the object
        number label;   // of itself and those that the way to the parent passes over; earlier, the first that waits
    };

    explicit dominator_search(const heap_snapshot& snapshot) : snapshot_(snapshot) {
        for (std::size_t i = 0; i < snapshot.size(); ++i) held_ += snapshot.is_held(i) ? 1U : 0U;
    }

    // Effects: numbers the held objects, and finds what leads to each.
    void find_objects() {
        std::vector<number> numbers;  // of the objects; 0 if not found yet
        resize_large(numbers, snapshot_.size());
        resize_large(objects_, std::size_t{held_} + 1);
        resize_large(nodes_, std::size_t{held_} + 1);
        resize_large(first_source_, std::size_t{held_} + 2);
        for (const heap_snapshot::root& root : snapshot_.roots()) {
            if (numbers[root.object] == 0) search(root.object, numbers);
            nodes_[numbers[root.object]].semi = 0;
        }
        std::partial_sum(first_source_.begin(), first_source_.end(), first_source_.begin());
        resize_large(sources_, first_source_.back());
        for (number from = 1; from <= held_; ++from) {
            if (held_ - from >= 3 * ahead) prefetch(from + 3 * ahead, from + 2 * ahead, from + ahead, numbers);
            const std::size_t object = objects_[from];
            for (std::size_t k = 0; k < snapshot_.degree(object); ++k) {
                const number to = numbers[snapshot_.target(object, k)];
                if (to < from) sources_[--first_source_[to]] = from;
            }
        }
    }

    // Effects: finds what the object leads to, depth first. A pointer from a smaller number to a larger one comes from
    // above in the tree of the search, where only the smallest number matters. Others are counted.
    void search(std::size_t object, std::vector<number>& numbers) noexcept {
        number at = discover(object, 0, numbers);
        for (std::size_t k = 0; at != 0;) {
            if (k == snapshot_.degree(object)) {
                at = nodes_[at].parent;
                object = objects_[at];
                k = nodes_[at].least;
                if (at > 3 * ahead) prefetch(at - 3 * ahead, at - 2 * ahead, at - ahead, numbers);
                continue;
            }
            const std::size_t target = snapshot_.target(object, k++);
            const number to = numbers[target];
            if (to == 0) {
                nodes_[at].least = static_cast<number>(k);
                at = discover(target, at, numbers);
                object = target;
                k = 0;
            } else if (to < at) {
                ++first_source_[to];
            } else if (to > at) {
                nodes_[to].semi = (std::min)(nodes_[to].semi, at);
            }
        }
    }

    // Effects: brings into the cache what a search reads of three objects: where the pointers of the farthest are, the
    // pointers of the next, and the numbers of what those of the nearest lead to.
    void prefetch(number farthest, number next, number nearest, const std::vector<number>& numbers) const noexcept {
        FREEHOLD_PREFETCH(&snapshot_.first_edge_[objects_[farthest]]);
        FREEHOLD_PREFETCH(snapshot_.edges_.data() + snapshot_.first_edge_[objects_[next]]);
        const std::size_t object = objects_[nearest];
        for (std::size_t k = (std::min)(std::size_t{ahead}, snapshot_.degree(object)); k-- > 0;) {
            FREEHOLD_PREFETCH(&numbers[snapshot_.target(object, k)]);
        }
    }

    [[nodiscard]] number discover(std::size_t object, number parent, std::vector<number>& numbers) noexcept {
        for (std::size_t k = (std::min)(std::size_t{ahead}, snapshot_.degree(object)); k-- > 0;) {
            const std::size_t target = snapshot_.target(object, k);
            FREEHOLD_PREFETCH(&numbers[target]);
            FREEHOLD_PREFETCH(&snapshot_.first_edge_[target]);
        }
        objects_[++found_] = static_cast<std::uint32_t>(object);
        nodes_[found_] = {parent, parent, 0, 0};
        return numbers[object] = found_;
    }

    // Effects: an object's semidominator is the smallest number from which a path leads to it through larger numbers
    // than its own. Objects wait for their dominators in a list that their semidominator has.
    void find_dominators() {
        resize_large(path_, std::size_t{held_} + 1);
        resize_large(dominators_, std::size_t{held_} + 1);
        std::size_t source = sources_.size();
        for (number at = held_; at > 0; --at) {
            settle_waiting(at);
            node& own = nodes_[at];
            for (; source > first_source_[at]; --source) {
                if (source > 2 * ahead) {
                    FREEHOLD_PREFETCH(&nodes_[sources_[source - 1 - 2 * ahead]]);
                    FREEHOLD_PREFETCH(&nodes_[nodes_[sources_[source - 1 - ahead]].parent]);
                }
                own.semi = (std::min)(own.semi, least_below(sources_[source - 1], at).least);
            }
            own.least = own.semi;
            own.label = at;
            dominators_[at] = own.semi == own.parent ? own.semi : std::exchange(nodes_[own.semi].label, at);
        }
        settle_waiting(0);
        for (number at = 1; at <= held_; ++at) {
            if (dominators_[at] != nodes_[at].semi) dominators_[at] = dominators_[dominators_[at]];
        }
    }

    // Effects: those that wait get their dominator, or the number of an object that has the same. Until then they have
    // the number of the next that waits.
    void settle_waiting(number semi) noexcept {
        for (number at = nodes_[semi].label; at != 0;) {
            const number next = dominators_[at];
            FREEHOLD_PREFETCH(&dominators_[next]);
            FREEHOLD_PREFETCH(&nodes_[next]);
            const node& below = least_below(at, semi);
            dominators_[at] = below.least < semi ? below.label : semi;
            at = next;
        }
    }

    // Returns: a node of which `label` is, of the numbers larger than `limit` from `at` on upwards, the one that has
    // the smallest semidominator. Effects: shortens the way upwards. Requires: at > limit, and numbers larger than the
    // limit have semidominators.
    [[nodiscard]] const node& least_below(number at, number limit) noexcept {
        std::size_t length = 0;
        number top = at;
        for (; nodes_[top].parent > limit; top = nodes_[top].parent) path_[length++] = top;
        while (length > 0) {
            node& each = nodes_[path_[--length]];
            const node& above = nodes_[each.parent];
            if (above.least < each.least) {
                each.least = above.least;
                each.label = above.label;
            }
            each.parent = nodes_[top].parent;
        }
        return nodes_[at];
    }

    const heap_snapshot& snapshot_;
    number held_ = 0;
    number found_ = 0;
    std::vector<std::uint32_t> objects_;  // by number, as all that follow
    std::vector<node> nodes_;
    std::vector<std::size_t> first_source_;
    std::vector<number> sources_;  // of pointers from larger numbers
    std::vector<number> path_;
    std::vector<number> dominators_;
};

}  // namespace freehold::detail

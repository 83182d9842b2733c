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

#include "../heap_snapshot.hpp"

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

    explicit dominator_search(const heap_snapshot& snapshot) : snapshot_(snapshot) {
        for (std::size_t i = 0; i < snapshot.size(); ++i) held_ += snapshot.is_held(i) ? 1U : 0U;
    }

    [[nodiscard]] std::size_t degree(number at) const noexcept {
        return at == 0 ? snapshot_.roots().size() : snapshot_.degree(objects_[at]);
    }
    [[nodiscard]] std::size_t target(number at, std::size_t k) const noexcept {
        return at == 0 ? snapshot_.roots()[k].object : snapshot_.target(objects_[at], k);
    }

    // Effects: numbers the held objects, and finds what leads to each.
    void find_objects() {
        std::vector<number> numbers(snapshot_.size());  // of the objects; 0 if not found yet
        objects_.resize(held_ + 1);
        parents_.resize(held_ + 1);
        semis_.resize(held_ + 1);
        path_.resize(held_ + 1);
        first_source_.resize(held_ + 2);
        search(numbers);
        std::partial_sum(first_source_.begin(), first_source_.end(), first_source_.begin());
        sources_.resize(first_source_.back());
        for (number from = 1; from <= held_; ++from) {
            for (std::size_t k = 0; k < degree(from); ++k) {
                const number to = numbers[target(from, k)];
                if (to < from) sources_[--first_source_[to]] = from;
            }
        }
    }

    // Effects: visits depth first; path_ has the next pointer of each object. A pointer from a smaller number to a
    // larger one comes from above in the tree of the search, where only the smallest number matters. Others are
    // counted.
    void search(std::vector<number>& numbers) noexcept {
        number found = 0;
        for (number at = 0;;) {
            if (path_[at] == degree(at)) {
                if (at == 0) return;
                at = parents_[at];
                continue;
            }
            const std::size_t object = target(at, path_[at]++);
            number& to = numbers[object];
            if (to == 0) {
                to = ++found;
                objects_[to] = static_cast<std::uint32_t>(object);
                parents_[to] = semis_[to] = at;
                at = to;
            } else if (to < at) {
                ++first_source_[to];
            } else if (to > at) {
                semis_[to] = (std::min)(semis_[to], at);
            }
        }
    }

    // Effects: an object's semidominator is the smallest number from which a path leads to it through larger numbers
    // than its own. Objects wait for their dominators in a list that their semidominator has.
    void find_dominators() {
        labels_.resize(held_ + 1);
        std::iota(labels_.begin(), labels_.end(), 0U);
        waiting_.resize(held_ + 1);
        dominators_.resize(held_ + 1);
        for (number at = held_; at > 0; --at) {
            settle_waiting(at);
            for (std::size_t i = first_source_[at]; i < first_source_[at + 1]; ++i) {
                semis_[at] = (std::min)(semis_[at], semis_[least_below(sources_[i], at)]);
            }
            const number semi = semis_[at];
            dominators_[at] = semi == parents_[at] ? semi : std::exchange(waiting_[semi], at);
        }
        settle_waiting(0);
        for (number at = 1; at <= held_; ++at) {
            if (dominators_[at] != semis_[at]) dominators_[at] = dominators_[dominators_[at]];
        }
    }

    // Effects: those that wait get their dominator, or the number of an object that has the same. Until then they have
    // the number of the next that waits.
    void settle_waiting(number semi) noexcept {
        for (number at = waiting_[semi]; at != 0;) {
            const number least = least_below(at, semi);
            at = std::exchange(dominators_[at], semis_[least] < semi ? least : semi);
        }
    }

    // Returns: of the numbers larger than `limit` from `at` on upwards, the one that has the smallest semidominator.
    // Effects: shortens the way upwards. Requires: at > limit, and numbers larger than the limit have semidominators.
    [[nodiscard]] number least_below(number at, number limit) noexcept {
        std::size_t length = 0;
        number top = at;
        for (; parents_[top] > limit; top = parents_[top]) path_[length++] = top;
        while (length > 0) {
            const number each = path_[--length];
            const number above = labels_[parents_[each]];
            if (semis_[above] < semis_[labels_[each]]) labels_[each] = above;
            parents_[each] = parents_[top];
        }
        return labels_[at];
    }

    const heap_snapshot& snapshot_;
    number held_ = 0;
    std::vector<std::uint32_t> objects_;  // by number, as all that follow
    std::vector<number> parents_;         // in the tree of the search; later farther up
    std::vector<number> semis_;
    std::vector<std::uint32_t> path_;
    std::vector<std::size_t> first_source_;
    std::vector<number> sources_;  // of pointers from larger numbers
    std::vector<number> labels_;   // of those that the way upwards no longer has, and itself, the least
    std::vector<number> waiting_;  // the first that waits
    std::vector<number> dominators_;
};

}  // namespace freehold::detail

#pragma once
// dominator_tree: how much of a heap_snapshot would be freed if an object went.
//
//     const freehold::heap_snapshot snapshot = freehold::snapshot_of(heap);
//     const freehold::dominator_tree tree(snapshot);
//     freehold::report_retained(snapshot, tree);                           // which objects retain most
//     freehold::report_dominators(snapshot, tree, object);                 // and without which this one would be freed
//
// An object dominates another if every path from a root to the other leads through it: without it the other would be
// garbage. An object retains itself and all that it dominates. The nearest object that dominates another is its
// dominator. All roots count as one: if two hold an object, or two objects that no third dominates, it has no
// dominator.
//
// This header also brings
//     retained_by_type, largest_retained, their report_..., and report_dominators    from detail/retained_reports.hpp
//     write_json with the dominators
//
// Garbage, to which no root leads, has no dominator and retains nothing: a collection frees it anyway.
//
// Thread safety: that of reading it. Exceptions: std::bad_alloc. Complexity: m log n for n objects and m pointers, near
// linear in practice; without recursion. Cost: 24 bytes for each object. While the tree is made, 12 more, and at most 4
// for each pointer.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "detail/large_vectors.hpp"
#include "detail/snapshot_dominators.hpp"
#include "heap_snapshot.hpp"

namespace freehold::inline v0_2 {

class dominator_tree {
public:
    static constexpr std::size_t nobody = heap_snapshot::nobody;

    dominator_tree() = default;

    explicit dominator_tree(const heap_snapshot& snapshot) {
        const detail::snapshot_dominators found = detail::dominator_search::of(snapshot);
        detail::reserve_large(dominators_, snapshot.size());
        dominators_.resize(snapshot.size(), static_cast<std::uint32_t>(nobody));
        sum(snapshot, found);
        place(found);
    }

    // Returns: the number of objects in the snapshot.
    [[nodiscard]] std::size_t size() const noexcept { return dominators_.size(); }

    // Returns: the index of the dominator of object i, or nobody.
    [[nodiscard]] std::size_t dominator(std::size_t i) const noexcept { return dominators_[i]; }

    // Returns: the bytes of what object i retains, with those outside of the heap.
    [[nodiscard]] std::size_t retained_bytes(std::size_t i) const noexcept { return bytes_[i]; }

    // Returns: the indices of what object i retains: itself, then the others, each after its dominator.
    [[nodiscard]] std::span<const std::uint32_t> retained(std::size_t i) const noexcept {
        return std::span(order_).subspan(places_[i], counts_[i]);
    }

    // Returns: whether object i retains object `other`. An object that is held retains itself.
    [[nodiscard]] bool retains(std::size_t i, std::size_t other) const noexcept {
        return counts_[other] > 0 && places_[other] - places_[i] < counts_[i];
    }

    // Returns: the held objects, each after its dominator, and what each retains directly after it.
    [[nodiscard]] std::span<const std::uint32_t> order() const noexcept { return order_; }

    // Returns: the indices of the held objects that retain most bytes, those of most first; at most `most`.
    // Complexity: n log most.
    [[nodiscard]] std::vector<std::size_t> largest(std::size_t most) const {
        std::vector<std::size_t> found((std::min)(most, order_.size()));
        std::ranges::partial_sort_copy(order_, found, [this](std::size_t one, std::size_t other) {
            return bytes_[one] != bytes_[other] ? bytes_[one] > bytes_[other] : places_[one] < places_[other];
        });
        return found;
    }

private:
    // Effects: adds what each object retains to what its dominator does, those below first.
    void sum(const heap_snapshot& snapshot, const detail::snapshot_dominators& found) {
        detail::resize_large(bytes_, size());
        detail::resize_large(counts_, size());
        for (std::size_t number = found.objects.size(); number-- > 1;) {
            const std::uint32_t i = found.objects[number];
            bytes_[i] += snapshot.bytes_of(i);
            counts_[i] += 1;
            if (found.dominators[number] == 0) continue;
            const std::uint32_t dominator = found.objects[found.dominators[number]];
            dominators_[i] = dominator;
            bytes_[dominator] += bytes_[i];
            counts_[dominator] += counts_[i];
        }
    }

    // Effects: puts each object after its dominator and what that already retains.
    void place(const detail::snapshot_dominators& found) {
        detail::resize_large(places_, size());
        detail::resize_large(order_, found.objects.size() - 1);
        std::vector<std::uint32_t> next(found.objects.size());  // the place for what an object retains
        for (std::size_t number = 1; number < found.objects.size(); ++number) {
            const std::uint32_t i = found.objects[number];
            std::uint32_t& free = next[found.dominators[number]];
            places_[i] = free;
            order_[free] = i;
            next[number] = free + 1;
            free += counts_[i];
        }
    }

    std::vector<std::uint32_t> dominators_;
    std::vector<std::size_t> bytes_;
    std::vector<std::uint32_t> counts_;  // 0 for garbage
    std::vector<std::uint32_t> places_;  // in order_
    std::vector<std::uint32_t> order_;
};

}  // namespace freehold

#include "detail/retained_reports.hpp"

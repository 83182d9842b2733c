#pragma once
// Detects, without NDEBUG, that a collection came while a container was being changed: the collection does not find its
// elements then, and frees what they point to.
//
// Stores outside of the heap are recorded. If a collection frees the target of a store, and a later collection finds
// the same pointer in the same slot without another store there, the first one should have found it too.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "../../core/assert.hpp"
#include "../../core/growing_buffer.hpp"

namespace freehold::detail {

// With NDEBUG it has the same size, and does nothing.
class container_watch {
public:
    static constexpr bool is_on =
#ifdef NDEBUG
        false;
#else
        true;
#endif

    // Effects: records that `target` was stored in `slot`, which is outside of the heap.
    void note(const void* slot, const void* target) noexcept {
        if constexpr (is_on) {
            if (stored_.size() >= max_stores || !stored_.push({slot, target, stored_.size()})) missed_ = true;
        }
    }

    // Effects: forgets the slots in the memory, which becomes the heap's.
    void forget([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
        if constexpr (is_on) {
            const auto is_inside = [&](const store& each) { return place(each.slot) - place(memory) < bytes; };
            remove(stored_, is_inside);
            remove(lost_, is_inside);
        }
    }

    // Effects: prepares for a collection, before it marks.
    void begin() noexcept {
        if constexpr (is_on) {
            keep_last_stores();
            if (missed_) lost_.truncate(0);
            remove(lost_, [this](const store& each) { return find(stored_, each.slot) != nullptr; });
        }
    }

    // Effects: after a collection has marked, records the stores whose targets it will free.
    template <class IsMarked>
    void end(IsMarked is_marked) noexcept {
        if constexpr (is_on) {
            remove(stored_, [is_marked](const store& each) { return is_marked(each.target); });
            if (lost_.size() + stored_.size() > max_stores) lost_.truncate(0);
            for (const store& each : stored_) {
                if (!lost_.push(each)) break;
            }
            sort(lost_);
            stored_.truncate(0);
            missed_ = false;
        }
    }

    // Requires: no earlier collection freed the target of the slot.
    void check([[maybe_unused]] const void* slot, [[maybe_unused]] const void* target,
               [[maybe_unused]] const char* object) const noexcept {
        if constexpr (is_on) {
            const store* const lost = find(lost_, slot);
            [[maybe_unused]] const bool no_collection_came_while_a_container_was_changed =
                lost == nullptr || lost->target != target;
            FREEHOLD_EXPECTS(no_collection_came_while_a_container_was_changed,
                             "a collection freed what an element of a container points to: it came while the container "
                             "was being changed, or was in no object of the heap yet; if constructors of the elements "
                             "allocate, change the container while a traced_heap::deferral lives",
                             object);
        }
    }

private:
    static constexpr std::size_t max_stores = std::size_t{1} << 18;

    struct store {
        const void* slot;
        const void* target;
        std::size_t number;  // of those since the last collection
    };

    static std::uintptr_t place(const void* slot) noexcept { return std::bit_cast<std::uintptr_t>(slot); }

    // Effects: sorts the stores by their slots, the last one into each slot first.
    static void sort(growing_buffer<store>& stores) noexcept {
        if (stores.empty()) return;
        std::qsort(stores.begin(), stores.size(), sizeof(store), [](const void* a, const void* b) {
            const auto& left = *static_cast<const store*>(a);
            const auto& right = *static_cast<const store*>(b);
            if (left.slot == right.slot) return (left.number < right.number) - (right.number < left.number);
            return place(left.slot) < place(right.slot) ? -1 : 1;
        });
    }

    // Returns: the store into the slot, or a null pointer. Requires: the stores are sorted, with one for each slot.
    [[nodiscard]] static const store* find(const growing_buffer<store>& stores, const void* slot) noexcept {
        const store* first = stores.begin();
        for (std::size_t count = stores.size(); count > 1;) {
            const std::size_t half = count / 2;
            if (place(first[half].slot) <= place(slot)) first += half;
            count -= half;
        }
        return first != stores.end() && first->slot == slot ? first : nullptr;
    }

    template <class Which>
    static void remove(growing_buffer<store>& stores, Which which) noexcept {
        store* kept = stores.begin();
        for (const store& each : stores) {
            if (!which(each)) *kept++ = each;
        }
        stores.truncate(static_cast<std::size_t>(kept - stores.begin()));
    }

    // Effects: sorts the stores, and keeps the last one into each slot.
    void keep_last_stores() noexcept {
        sort(stored_);
        const void* kept = nullptr;
        remove(stored_, [&kept](const store& each) { return std::exchange(kept, each.slot) == each.slot; });
    }

    growing_list<store> stored_;  // since the last collection
    growing_list<store> lost_;    // the stores, these and earlier ones, whose targets were freed
    bool missed_ = false;         // there were too many to record
};

}  // namespace freehold::detail

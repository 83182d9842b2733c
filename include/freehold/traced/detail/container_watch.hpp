#pragma once
// Notices, without NDEBUG, that a collection came while a container was in the middle of a change: its elements are not
// found then, and what they lead to is freed.
//
// Stores outside of the heap are noted. Where a collection frees what was stored, and a later one finds it in the same
// place without another store there, the first should have found it as well.

#include <algorithm>
#include <cstddef>
#include <functional>

#include "../../core/assert.hpp"
#include "../../core/growing_buffer.hpp"

namespace freehold::detail {

// Of the same size with NDEBUG, when it does nothing.
class container_watch {
public:
    static constexpr bool is_on =
#ifdef NDEBUG
        false;
#else
        true;
#endif

    // Effects: notes that `target` was stored in `slot`, which is outside of the heap.
    void note(const void* slot, const void* target) noexcept {
        if constexpr (is_on) {
            if (stored_.size() >= most || !stored_.push({slot, target, stored_.size()})) missed_ = true;
        }
    }

    // Effects: the memory is the heap's from now on, and no slot in it is outside any more.
    void forget([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
        if constexpr (is_on) {
            const store begin{memory, nullptr, 0};
            const store end{static_cast<const std::byte*>(memory) + bytes, nullptr, 0};
            const auto is_inside = [&](const store& each) { return !before(each, begin) && before(each, end); };
            remove(stored_, is_inside);
            remove(lost_, is_inside);
        }
    }

    // Effects: a collection begins to mark.
    void begin() noexcept {
        if constexpr (is_on) {
            keep_last_stores();
            if (missed_) lost_.truncate(0);
            remove(lost_, [this](const store& each) { return find(stored_, each.slot) != nullptr; });
        }
    }

    // Effects: it has marked, and will free what is not.
    template <class IsMarked>
    void end(IsMarked is_marked) noexcept {
        if constexpr (is_on) {
            remove(stored_, [is_marked](const store& each) { return is_marked(each.target); });
            if (lost_.size() + stored_.size() > most) lost_.truncate(0);
            for (const store& each : stored_) {
                if (!lost_.push(each)) break;
            }
            std::sort(lost_.begin(), lost_.end(), before);
            stored_.truncate(0);
            missed_ = false;
        }
    }

    // Requires: what an object has in the slot was not freed by an earlier collection.
    void check([[maybe_unused]] const void* slot, [[maybe_unused]] const void* target,
               [[maybe_unused]] const char* object) const noexcept {
        if constexpr (is_on) {
            const store* const lost = find(lost_, slot);
            [[maybe_unused]] const bool no_collection_came_while_a_container_was_changed =
                lost == nullptr || lost->target != target;
            FREEHOLD_EXPECTS(no_collection_came_while_a_container_was_changed,
                             "a collection freed what an element of a container leads to, as the container was being "
                             "changed, or was in no object of the heap yet; change it while a traced_heap::deferral "
                             "lives, if a constructor of the elements allocates",
                             object);
        }
    }

private:
    static constexpr std::size_t most = std::size_t{1} << 18;

    struct store {
        const void* slot;
        const void* target;
        std::size_t number;  // of those since the last collection
    };

    static bool before(const store& a, const store& b) noexcept { return std::less<>()(a.slot, b.slot); }

    // Returns: what was stored in the slot, or a null pointer. Requires: the stores are in the order of their slots.
    [[nodiscard]] static const store* find(const growing_buffer<store>& stores, const void* slot) noexcept {
        const store* const found = std::lower_bound(stores.begin(), stores.end(), store{slot, nullptr, 0}, before);
        return found != stores.end() && found->slot == slot ? found : nullptr;
    }

    template <class Which>
    static void remove(growing_buffer<store>& stores, Which which) noexcept {
        store* const end = std::remove_if(stores.begin(), stores.end(), which);
        stores.truncate(static_cast<std::size_t>(end - stores.begin()));
    }

    // Effects: there is one store for each slot, in their order.
    void keep_last_stores() noexcept {
        std::sort(stored_.begin(), stored_.end(),
                  [](const store& a, const store& b) { return a.slot == b.slot ? a.number > b.number : before(a, b); });
        store* const end = std::unique(stored_.begin(), stored_.end(),
                                       [](const store& a, const store& b) { return a.slot == b.slot; });
        stored_.truncate(static_cast<std::size_t>(end - stored_.begin()));
    }

    growing_list<store> stored_;  // since the last collection
    growing_list<store> lost_;    // those of them, and of earlier ones, that were freed
    bool missed_ = false;         // there were too many to note
};

}  // namespace freehold::detail

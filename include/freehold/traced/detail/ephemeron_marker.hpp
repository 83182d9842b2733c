#pragma once
// Marks through ephemerons: the value of one whose key is marked.

#include <cstddef>

#include "running_collection.hpp"
#include "traced_marker.hpp"
#include "traced_roots.hpp"
#include "waiting_ephemerons.hpp"
#include "wide_chunks.hpp"
#include "write_barrier.hpp"

namespace freehold::detail {

class ephemeron_marker {
public:
    ephemeron_marker(traced_space& space, const running_collection& running, traced_marker& marker) noexcept
        : space_(space), running_(running), marker_(marker) {}

    // Effects: marks the values whose keys are marked. Those of the others wait.
    // Returns: whether it has marked anything; the marker must then be drained.
    [[nodiscard]] bool mark() noexcept {
        bool found = false;
        waiting_count_ = 0;
        all().each(running_.is_complete(), [&](const ephemeron_handle& each) {
            if (running_.keeps(each.value)) return;
            if (awaited_by(each) != nullptr) {
                ++waiting_count_;
                return;
            }
            marker_.mark(each.value);
            found = true;
        });
        return found;
    }

    // Effects: marks what can be reached from marked objects, except if the marker is out of memory. Each newly marked
    // object is looked up among those that the last mark() has found others to wait for. Without memory for these,
    // nothing.
    void drain() noexcept {
        if (waiting_count_ == 0 || !waiting_.reserve(waiting_count_)) return;
        const auto mark_or_wait = [this](const ephemeron_handle& each) {
            const void* const awaited = awaited_by(each);
            awaited != nullptr ? waiting_.add(awaited, each) : marker_.mark(each.value);
        };
        all().each(running_.is_complete(), [&](const ephemeron_handle& each) {
            if (!running_.keeps(each.value)) mark_or_wait(each);
        });
        marker_.drain_all(running_.ends_cycle, [&](const void* object) { waiting_.each(object, mark_or_wait); });
        waiting_.clear();
    }

    // Effects: clears the ephemerons whose key or value is not marked.
    void clear_rest() noexcept {
        all().clear_unless(running_.is_complete(), [this](const ephemeron_handle& each) {
            return running_.keeps(each.object) && running_.keeps(each.value);
        });
    }

private:
    [[nodiscard]] aged_handles<ephemeron_handle>& all() const noexcept { return space_.handles.ephemerons; }

    // Returns: an unmarked object without which the ephemeron does not keep its value alive; null if there is none.
    [[nodiscard]] const void* awaited_by(const ephemeron_handle& each) const noexcept {
        if (!running_.keeps(each.object)) return each.object;
        return may_be_reachable(each) ? nullptr : &each;
    }

    // Returns: whether the handle is outside of the heap, or in an object that is marked.
    [[nodiscard]] bool may_be_reachable(const listed_handle& handle) const noexcept {
        return space_.chunks.find(wide_chunks::head_of(&handle)) == nullptr || running_.keeps(&handle);
    }

    traced_space& space_;
    const running_collection& running_;
    traced_marker& marker_;
    waiting_ephemerons waiting_;
    std::size_t waiting_count_ = 0;  // of ephemerons whose value is not marked
};

}  // namespace freehold::detail

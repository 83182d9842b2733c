#pragma once
// Marks through ephemerons: the value of one whose key is marked.
//
// A collection looks at each ephemeron a few times, whatever leads to whose key: those whose values are not marked yet
// are found by the object whose mark they wait for. That is the key, or the object that the ephemeron is in.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../core/growing_buffer.hpp"
#include "chunk_table.hpp"
#include "marking_cycle.hpp"
#include "traced_chunk.hpp"
#include "traced_marker.hpp"
#include "traced_roots.hpp"
#include "wide_chunks.hpp"
#include "write_barrier.hpp"

namespace freehold::inline v0_2::detail {

class waiting_ephemerons {
public:
    // Effects: reserves memory for `count` ephemerons. Returns: false if out of memory.
    [[nodiscard]] bool reserve(std::size_t count) noexcept {
        const std::size_t places = std::bit_ceil(count);
        // Each may wait twice: for its key, then for the object that it is in.
        if (!waiting_.reserve(2 * count) || !first_.reserve(places)) return false;
        first_.truncate(places);
        std::memset(first_.begin(), 0, places * sizeof(std::size_t));
        return true;
    }

    // Effects: the ephemeron waits until the object is marked, which the marker then pushes, even if it leads nowhere.
    // Requires: there is memory.
    void add(const void* address, const ephemeron_handle& waiting) noexcept {
        traced_block& block = wide_chunks::block_of(address);
        block.is_pushed = true;
        const std::byte* const object = object_of(block, address);
        std::size_t& first = first_[place_of(object)];
        waiting_.add({object, &waiting, first});
        first = waiting_.size();
    }

    // Effects: calls use(ephemeron) for each that waits for the object, and may be added anew.
    template <class Use>
    void each(const void* object, Use use) const {
        for (std::size_t i = first_.begin()[place_of(object)]; i != 0;) {
            const entry found = waiting_.begin()[i - 1];
            if (found.object == object) use(*found.waiting);
            i = found.next;
        }
    }

    // Effects: forgets all.
    void clear() noexcept {
        for (const entry& each : waiting_) {
            traced_block& block = wide_chunks::block_of(each.object);
            block.is_pushed = block.type->trace != nullptr;
        }
        waiting_.truncate(0);
    }

private:
    struct entry {
        const std::byte* object;  // that is not marked
        const ephemeron_handle* waiting;
        std::size_t next;  // of the same place: the number of an entry, counted from 1, or 0
    };

    [[nodiscard]] static const std::byte* object_of(const traced_block& block, const void* address) noexcept {
        return block.cell(block.index_of(wide_chunks::head_of(address)));
    }

    [[nodiscard]] std::size_t place_of(const void* object) const noexcept {
        const std::uint64_t mixed = std::bit_cast<std::uintptr_t>(object) * std::uint64_t{0x9e3779b97f4a7c15};
        return static_cast<std::size_t>(mixed >> 32) & (first_.size() - 1);
    }

    growing_list<std::size_t> first_;  // a hash table of entries
    growing_list<entry> waiting_;
};

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

#pragma once
// The edges from old objects to young ones, which a young collection starts from: it looks into the old objects on the
// cards that the write barrier has listed, and into those with slots outside of the heap.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/growing_buffer.hpp"
#include "cell_blocks.hpp"
#include "marking_cycle.hpp"
#include "traced_chunk.hpp"
#include "traced_marker.hpp"
#include "wide_chunks.hpp"
#include "write_barrier.hpp"

namespace freehold::inline v0_2::detail {

class stored_edges {
public:
    stored_edges(const remembered_set& stores, const cell_blocks& cells, const running_collection& running,
                 traced_marker& marker) noexcept
        : stores_(stores), cells_(cells), running_(running), marker_(marker) {}

    // Effects: marks what the edges lead to. With a budget, it looks at no more slots outside of the heap than that.
    void mark(std::size_t budget) noexcept {
        ++young_collections_;
        const growing_list<const void*>& inside = stores_.heap_slots;
        constexpr std::size_t ahead = 8;
        for (std::size_t i = 0; i < inside.size(); ++i) {
            if (i + ahead < inside.size()) traced_chunk::fetch(inside.begin()[i + ahead]);
            trace_stored_into(inside.begin()[i]);
        }
        for (const void* const slot : stores_.far_slots) trace_stored_into_far(slot);
        mark_from_outside(budget);
    }

private:
    // Effects: traces the old objects on the card of the slot, or the one in the slot.
    void trace_stored_into(const void* slot) noexcept {
        traced_block& block = traced_chunk::block_of(slot);
        const auto stored = traced_chunk::stored_into(traced_chunk::at(slot)->card_of(slot), slot);
        if (block.is_large()) {
            traced_block& first = traced_chunk::block_of(block.begin);
            if (!first.is_marked(0)) return;  // it may be gone, with the type of an array
            if (block.type->trace_part != nullptr) {
                marker_.look_into(first, 0, stored);
            } else if (std::exchange(first.retraced, young_collections_) != young_collections_) {
                marker_.look_into(first, 0);
            }
            return;
        }
        const std::size_t last = detail::smaller(block.index_of(&stored.back()), block.cells - 1);
        for (std::size_t i = block.index_of(stored.data()); i <= last; ++i) {
            if (running_.promotes ? block.is_reached(i) : block.is_marked(i)) marker_.look_into(block, i, stored);
        }
    }

    // Effects: the same for a slot after the first 4 MiB of an array.
    void trace_stored_into_far(const void* slot) noexcept {
        const traced_block& block = wide_chunks::block_of(slot);
        const std::uint8_t card = *wide_chunks::chunk_of(slot).far_card_of(slot);
        if (block.is_marked(0)) marker_.look_into(block, 0, traced_chunk::stored_into(card, slot));
    }

    // Effects: marks the objects that were stored outside of the heap; or traces all old objects that may own such a
    // slot. Tracing is more exact, as it does not keep what was removed again. But it takes longer, and stores must pay
    // for it.
    void mark_from_outside(std::size_t budget) noexcept {
        constexpr std::ptrdiff_t edges_for_a_store = 4;
        credit_ += edges_for_a_store * static_cast<std::ptrdiff_t>(stores_.targets.size());
        const bool is_affordable = last_edges_ <= static_cast<std::ptrdiff_t>(budget);
        if (stores_.has_all_targets && (credit_ <= 0 || !is_affordable || running_.promotes)) {
            for (const void* const object : stores_.targets) marker_.mark(object);
            return;
        }
        if (stores_.has_all_targets && stores_.targets.empty()) return;
        if (credit_ < 0) credit_ = 0;
        last_edges_ = 0;
        cells_.each_marked([](const traced_type& type) { return type.trace_outside != nullptr; },
                           [this](const traced_type& type, const void* object) {
                               last_edges_ += static_cast<std::ptrdiff_t>(type.trace_outside(object, marker_));
                               marker_.drain();
                           });
        credit_ -= last_edges_;
    }

    const remembered_set& stores_;
    const cell_blocks& cells_;
    const running_collection& running_;
    traced_marker& marker_;
    std::ptrdiff_t credit_ = 0;      // the number of edges that mark_from_outside may look at
    std::ptrdiff_t last_edges_ = 0;  // the number that it looked at the last time
    std::uint32_t young_collections_ = 0;
};

}  // namespace freehold::detail

#pragma once
// snapshot_of(heap) for a traced_heap.
//
//     freehold::report_owners(freehold::snapshot_of(heap), object);
//
// Its roots are of the kinds "traced_local", "traced_root", "word on the stack" (of a conservative stack), "finalizer"
// (that is due) and "argument of make". A value of an ephemeron is held by the key.
//
// Thread safety: that of the heap. Exceptions: std::bad_alloc. Complexity: n log n in the objects and their pointers.
// Cost: none for a heap of which no snapshot is taken.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <new>
#include <utility>
#include <vector>

#include "../core/assert.hpp"
#include "../core/exceptions.hpp"
#include "../core/growing_buffer.hpp"
#include "../traced/traced_heap.hpp"
#include "heap_snapshot.hpp"

namespace freehold::inline v0_2 {

namespace detail {

class traced_inspector {
public:
    explicit traced_inspector(traced_heap& heap) : heap_(heap.collector_), here_(heap.attached()) {
        [[maybe_unused]] const bool no_object_is_being_made_or_destroyed = heap_.may_collect(here_);
        FREEHOLD_EXPECTS(no_object_is_being_made_or_destroyed,
                         "a snapshot is taken while an object is made or destroyed", "freehold::traced_heap");
    }

    [[nodiscard]] heap_snapshot read() {
        here_.cells.return_runs();  // so that blocks know which cells hold objects
        read_ephemerons();
        read_objects();
        read_roots();
        return builder_.finish();
    }

private:
    using key_and_value = std::pair<const void*, const void*>;

    void read_ephemerons() {
        heap_.space_.handles.ephemerons.each(true, [this](const ephemeron_handle& each) {
            const traced_block& block = wide_chunks::block_of(each.object);
            values_.emplace_back(block.cell(block.index_of(wide_chunks::head_of(each.object))), each.value);
        });
        std::ranges::sort(values_, std::less<>(), &key_and_value::first);
    }

    void read_objects() {
        container_watch unused;
        traced_marker marker;
        marker.record(targets_, unused);
        heap_.blocks_.each_block([&](const traced_block& block) {
            const traced_type& type = *block.type;
            const std::uint32_t number = builder_.type(&type, type.name, type.cell_bytes);
            for (std::size_t i = 0; i < block.cells; ++i) {
                if (block.is_occupied(i)) read_object(block.cell(i), number, type, marker);
            }
        });
    }

    void read_object(const void* object, std::uint32_t number, const traced_type& type, traced_marker& marker) {
        const std::size_t shown = type.owned_bytes != nullptr ? type.owned_bytes(object) : 0;
        builder_.object(object, number, shown + heap_.external_.told.of(object));
        marker.look_into(type, object);
        if (marker.take_overflow()) raise<std::bad_alloc>();
        for (const void* const target : targets_) builder_.edge(target);
        targets_.truncate(0);
        const auto held = std::ranges::equal_range(values_, object, std::less<>(), &key_and_value::first);
        for (const auto& [key, value] : held) builder_.edge(value);
    }

    void read_roots() {
        std::vector<const void*> newest_first;
        const auto add = [&](const char* kind) {
            for (; !newest_first.empty(); newest_first.pop_back()) builder_.root(kind, newest_first.back());
        };
        here_.stack.scan_locals();
        if (!here_.stack.keep_objects()) raise<std::bad_alloc>();
        newest_first.assign(here_.stack.found().begin(), here_.stack.found().end());
        add("traced_local");
        heap_.space_.handles.roots.each(true, [&](const listed_handle& root) { newest_first.push_back(root.object); });
        add("traced_root");
        const std::size_t locals = here_.stack.found().size();
        if (!here_.stack.scan_words()) raise<std::bad_alloc>();
        for (const void* const object : here_.stack.found().subspan(locals)) builder_.root("word on the stack", object);
        heap_.finalizers_.each_due(0, [this](const void* object) { builder_.root("finalizer", object); });
        for (const auto* each = here_.held; each != nullptr; each = each->outer) {
            for (const void* const object : each->objects) {
                if (heap_.holds(object)) builder_.root("argument of make", object);
            }
        }
    }

    traced_collector& heap_;
    traced_mutator& here_;
    snapshot_builder builder_{"traced_heap"};
    std::vector<key_and_value> values_;  // of ephemerons, by their keys
    growing_list<const void*> targets_;
};

}  // namespace detail

// Returns: the objects of the heap now, with garbage that no collection has destroyed yet. Effects: none that a program
// can see. Requires: the heap is attached to the calling thread, and no constructor or destructor of one of its
// objects is running.
[[nodiscard]] inline heap_snapshot snapshot_of(traced_heap& heap) { return detail::traced_inspector(heap).read(); }

}  // namespace freehold

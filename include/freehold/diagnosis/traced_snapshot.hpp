#pragma once
// snapshot_of(heap) for a traced_heap or a shared_traced_heap.
//
//     freehold::report_owners(freehold::snapshot_of(heap), object);
//
// Its roots are of the kinds "traced_local", "traced_root", "word on the stack" (of a conservative stack), "finalizer"
// (that is due), "argument of make" and "call of a container" (that grows, or an argument of that call). A value of an
// ephemeron is held by the key.
//
// Thread safety: that of the heap; the other sessions of a shared_traced_heap are stopped meanwhile. Exceptions:
// std::bad_alloc. Complexity: n log n in the objects and their pointers. Cost: none for a heap of which no snapshot is
// taken.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <utility>
#include <vector>

#include "../core/assert.hpp"
#include "../core/exceptions.hpp"
#include "../core/growing_buffer.hpp"
#include "../traced/shared_traced_heap.hpp"
#include "../traced/traced_heap.hpp"
#include "heap_snapshot.hpp"

namespace freehold::inline v0_2 {

namespace detail {

class traced_inspector {
public:
    template <class Heap>
    [[nodiscard]] static heap_snapshot of(Heap& heap, const char* name) {
        traced_mutator& here = heap.attached();
        [[maybe_unused]] const bool no_object_is_being_made_or_destroyed = here.heap.may_collect(here);
        FREEHOLD_EXPECTS(no_object_is_being_made_or_destroyed,
                         "a snapshot is taken while an object is made or destroyed", "freehold::traced_heap");
        traced_inspector self(here.heap, name);
        bool has_memory = false;
        while (!here.heap.stop_threads(here, [&] { has_memory = self.read(); })) {
        }
        if (!has_memory) raise<std::bad_alloc>();
        return self.builder_.finish();
    }

private:
    using key_and_value = std::pair<const void*, const void*>;

    traced_inspector(traced_collector& heap, const char* name) : heap_(heap), builder_(name) {}

    // Effects: reads the heap. Returns: false if out of memory: its threads must not stay stopped.
    [[nodiscard]] bool read() noexcept {
        const parked_helper parked(heap_.cycle_);
        heap_.each_mutator([](traced_mutator& each) {
            each.cells.return_runs();  // so that blocks know which cells hold objects
        });
#ifdef __cpp_exceptions
        try {
#endif
            read_all();
            return true;
#ifdef __cpp_exceptions
        } catch (const std::bad_alloc&) {
            return false;
        }
#endif
    }

    void read_all() {
        container_watch unused;
        traced_marker marker;
        marker.record(targets_, unused);
        read_ephemerons();
        read_objects(marker);
        read_roots(marker);
    }

    void read_ephemerons() {
        heap_.space_.handles.ephemerons.each(true, [this](const ephemeron_handle& each) {
            const traced_block& block = wide_chunks::block_of(each.object);
            values_.emplace_back(block.cell(block.index_of(wide_chunks::head_of(each.object))), each.value);
        });
        std::ranges::sort(values_, std::less<>(), &key_and_value::first);
    }

    void read_objects(traced_marker& marker) {
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
        each_target(marker, [this](const void* target) { builder_.edge(target); });
        const auto held = std::ranges::equal_range(values_, object, std::less<>(), &key_and_value::first);
        for (const auto& [key, value] : held) builder_.edge(value);
    }

    // Effects: calls use(target) for what the marker has recorded, which it forgets.
    template <class Use>
    void each_target(traced_marker& marker, Use use) {
        if (marker.take_overflow()) raise<std::bad_alloc>();
        for (const void* const target : targets_) use(target);
        targets_.truncate(0);
    }

    void read_roots(traced_marker& marker) {
        std::size_t session = 0;
        if (heap_.sessions_ != nullptr) heap_.each_mutator([&session](const traced_mutator&) { ++session; });
        heap_.each_mutator([&](traced_mutator& each) { read_roots(each, session--, marker); });  // the newest first
        std::vector<const void*> newest_first;
        heap_.space_.handles.roots.each(true, [&](const listed_handle& root) { newest_first.push_back(root.object); });
        add("traced_root", newest_first);
        heap_.finalizers_.each_due(0, [this](const void* object) { builder_.root("finalizer", object); });
    }

    void read_roots(traced_mutator& of, std::size_t session, traced_marker& marker) {
        if (!of.stack.keep_objects()) raise<std::bad_alloc>();
        add("traced_local", std::vector<const void*>(of.stack.locals().begin(), of.stack.locals().end()), session);
        if (!of.stack.scan_words()) raise<std::bad_alloc>();
        for (const void* const object : of.stack.found().subspan(of.stack.locals().size())) {
            builder_.root("word on the stack", object, session);
        }
        for (const auto* each = of.held; each != nullptr; each = each->outer) {
            for (const void* const object : each->objects) {
                if (heap_.holds(object)) builder_.root("argument of make", object, session);
            }
        }
        held_values::mark_all(of.held_by_calls, marker);
        each_target(marker, [&](const void* target) { builder_.root("call of a container", target, session); });
    }

    void add(const char* kind, const std::vector<const void*>& newest_first, std::size_t session = 0) {
        for (std::size_t i = newest_first.size(); i > 0; --i) builder_.root(kind, newest_first[i - 1], session);
    }

    traced_collector& heap_;
    snapshot_builder builder_;
    std::vector<key_and_value> values_;  // of ephemerons, by their keys
    growing_list<const void*> targets_;
};

}  // namespace detail

// Returns: the objects of the heap now, with garbage that no collection has destroyed yet. Effects: none that a program
// can see. Requires: the heap is attached to the calling thread, and no constructor or destructor of one of its
// objects is running.
[[nodiscard]] inline heap_snapshot snapshot_of(traced_heap& heap) {
    return detail::traced_inspector::of(heap, "traced_heap");
}

// Returns: the same of a heap that threads share. Effects: stops its other sessions while it reads the objects.
// Requires: the calling thread has a session of the heap; the rest as above, for its own constructors and destructors.
[[nodiscard]] inline heap_snapshot snapshot_of(shared_traced_heap& heap) {
    return detail::traced_inspector::of(heap, "shared_traced_heap");
}

}  // namespace freehold

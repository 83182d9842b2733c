#pragma once
// snapshot_of_cyclic_objects() for the objects that this thread made with make_cyclic, and snapshot_of(heap) for a
// cyclic_heap.
//
//     freehold::report_owners(freehold::snapshot_of_cyclic_objects(), object);
//
// Its roots are of the kind "owner outside": an object has more owners than were found in objects. That may be a
// variable, a container, or a pointer that a trace(visit) forgets.
//
// Thread safety: that of the objects; the other sessions of a cyclic_heap are stopped meanwhile. Exceptions:
// std::bad_alloc. Complexity: n log n in the objects and their pointers. Cost: none where no snapshot is taken.

#include <cstddef>
#include <new>

#include "../core/assert.hpp"
#include "../core/exceptions.hpp"
#include "../core/growing_buffer.hpp"
#include "../cyclic/cyclic_heap.hpp"
#include "heap_snapshot.hpp"

namespace freehold::inline v0_2 {

namespace detail {

class cyclic_inspector {
public:
    [[nodiscard]] static heap_snapshot of_thread() {
        cyclic_thread& thread = this_cyclic_thread;
        FREEHOLD_EXPECTS(!thread.is_destroying() && !thread.collecting,
                         "a snapshot is taken in a destructor or finalize() of a collected object",
                         "freehold::cycle_collector");
        cyclic_inspector self("cyclic objects of a thread");
        graph_walk walk(thread);
        self.read(walk, thread);
        return self.builder_.finish();
    }

    template <class Threading>
    [[nodiscard]] static heap_snapshot of(basic_cyclic_heap<Threading>& heap) {
        cyclic_inspector self("cyclic_heap");
        bool has_memory = false;
        heap.stop([&](cyclic_session<Threading>& own) {
            stopped_heap<Threading> objects(heap.registry_, own);
            graph_walk walk(objects.state);
            has_memory = objects.is_complete() && self.read_all(walk, heap.registry_);
        });
        if (!has_memory) raise<std::bad_alloc>();
        return self.builder_.finish();
    }

private:
    explicit cyclic_inspector(const char* heap) : builder_(heap) {}

    // Effects: reads the objects of all sessions. Returns: false if out of memory: the heap must not stay stopped.
    template <class Registry>
    [[nodiscard]] bool read_all(graph_walk& walk, Registry& registry) noexcept {
#ifdef __cpp_exceptions
        try {
#endif
            registry.each_session([&](cell_owner& session) { read(walk, session); });
            return true;
#ifdef __cpp_exceptions
        } catch (...) {
            return false;
        }
#endif
    }

    void read(graph_walk& walk, const cell_owner& owner) {
        owner.each_object([&](cyclic_header& header) { read_object(walk, header); });
    }

    void read_object(graph_walk& walk, cyclic_header& header) {
        const cyclic_type& type = *cyclic_block::of(header).type;
        const std::size_t external_bytes = type.owned_bytes != nullptr ? type.owned_bytes(header) : 0;
        builder_.object(header.object(), builder_.type(&type, type.name, type.shape.bytes), external_bytes);
        builder_.owned_by(header.owners());
        targets_.truncate(0);
        walk.list_targets(header, targets_);
        if (walk.has_failed()) raise<std::bad_alloc>();
        for (cyclic_header* const target : targets_) builder_.edge(target->object());
    }

    snapshot_builder builder_;
    growing_list<cyclic_header*> targets_;
};

}  // namespace detail

// Returns: the objects that this thread made with make_cyclic and that are not destroyed. Requires: no destructor or
// finalize() of such an object is running.
[[nodiscard]] inline heap_snapshot snapshot_of_cyclic_objects() { return detail::cyclic_inspector::of_thread(); }

// Returns: the objects of the heap. Effects: stops the other sessions of the heap. Requires: as cyclic_heap::objects().
template <class Threading>
[[nodiscard]] heap_snapshot snapshot_of(basic_cyclic_heap<Threading>& heap) {
    return detail::cyclic_inspector::of(heap);
}

}  // namespace freehold

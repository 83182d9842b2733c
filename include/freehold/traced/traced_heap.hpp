#pragma once
// traced_heap: a heap of objects that live as long as they can be reached, in cycles or not.
//
//     freehold::traced_heap heap;
//     freehold::traced_local<node> list = heap.make<node>(1, nullptr);
//     list = heap.make<node>(2, list);
//
// What must be rooted. Whatever allocates in the heap may collect (make, make_unrooted, make_array, a
// traced_root_vector that grows, collect_if_due), and collect, collect_young and trim do. A collection keeps what can
// be reached through traced_ptrs from
//     traced_local         a variable on the stack
//     traced_root          a handle of any lifetime, outside of the heap
//     traced_root_vector   many of them
//     an argument          of the make that collects, if it is a handle
// Nothing else is a root: no raw pointer or reference, no traced_view, no traced_ptr outside of the heap's objects. To
// find a missing root, test with collect_at_every_allocation and AddressSanitizer. Or use a conservative_stack: then
// raw pointers in variables on the stack are roots, too.
//
// Objects are never moved. Their members are found by `trace` (trace.hpp). A constructor may allocate: no collection
// comes until it has returned. A destructor may allocate, too, and may use other objects except those that die in the
// same collection: their order is unspecified. A collection must not come while a container in an object is being
// changed. If the container's elements allocate, use emplace_back, emplace or a deferral. Without NDEBUG, a violation
// that does harm is detected.
//
// Thread safety: a heap and all of its handles belong to one thread at a time, at first to the one that made it. That
// thread hands the heap over with detach(), and another takes it with attach(). Heaps are independent of each other.
// Exceptions: make throws std::bad_alloc, or what the constructor throws, with the strong guarantee.
// Complexity: make takes constant time unless it collects. A young collection is linear in the young objects that
// survive, a full one in all objects that can be reached. options.pause_budget bounds both.
// Cost: objects have no header, and at least 16 bytes. Marks and cards take 1/32 of each chunk. Chunks of 4 MiB come
// from the shared page_cache; pages that are never touched take no memory. Only types with a destructor are swept.

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "../core/annotate.hpp"
#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "../core/exceptions.hpp"
#include "../core/type_name.hpp"
#include "../memory/page_cache.hpp"
#include "../tracing/owned_bytes.hpp"
#include "../tracing/trace.hpp"
#include "../tracing/untraced.hpp"
#include "detail/heap_interface.hpp"
#include "detail/traced_collector.hpp"
#include "traced_array.hpp"
#include "traced_heap_options.hpp"
#include "traced_local.hpp"
#include "traced_ptr.hpp"
#include "traced_root.hpp"
#include "traced_view.hpp"

namespace freehold::inline v0_2 {

namespace detail {
class frame_maker;
}  // namespace detail

class traced_heap : public detail::heap_interface<traced_heap> {
public:
    // The heap does not collect during the lifetime of a deferral, nor at its end: see collect_if_due(). Use one to
    // change a container in an object of the heap if the elements' constructors, assignments or destructors allocate in
    // the heap:
    //     const freehold::traced_heap::deferral change(heap);
    //     object->parts.resize(1000);
    // Cost: an addition and a subtraction.
    class deferral {
    public:
        // Requires: the heap outlives it.
        explicit deferral(traced_heap& heap) noexcept : heap_(heap) { ++heap_.attached().constructing; }
        deferral(const deferral&) = delete;
        deferral& operator=(const deferral&) = delete;
        // Requires: it ends in the thread that it began in.
        ~deferral() { --heap_.attached().constructing; }

    private:
        traced_heap& heap_;
    };

    traced_heap() : traced_heap(traced_heap_options()) {}
    // Throws: std::bad_alloc if options.conservative_stack and the system does not know the stack.
    explicit traced_heap(traced_heap_options options)
        : collector_(std::move(options)),
          mutator_(collector_, collector_.blocks(), collector_.options().conservative_stack) {
        collector_.set_mutator(mutator_);
    }

    // Effects: destroys all objects, and empties all handles to them except traced_ptrs and traced_views. No finalizer
    // runs. What destructors make is destroyed as well, for 1,000 generations; then a message on stderr names a type,
    // and the last destructors are not called. Requires: it is attached to the calling thread, or to none.
    ~traced_heap() { collector_.destroy_all(mutator_); }

    // Effects: the heap belongs to no thread, and its objects and handles must not be used until attach(). A marking in
    // steps goes on afterwards. Requires: it is attached to the calling thread, of which no traced_local refers to an
    // object; no constructor, destructor or finalizer of an object is running, and there is no deferral. What a
    // conservative stack refers to is no longer kept alive.
    // Complexity: constant with NDEBUG; without it, linear in the thread's stack.
    void detach() noexcept { collector_.detach(mutator_); }

    // Effects: the heap belongs to the calling thread, until it calls detach() or destroys the heap, before the thread
    // ends. Requires: it is attached to no thread. The detach() of the thread before happens before this call, as by a
    // mutex, a queue or a join. Throws: std::bad_alloc if options.conservative_stack and the system does not know the
    // stack; then nothing has changed. Complexity: constant.
    void attach() { collector_.attach(mutator_); }

    // Attaches the heap to the calling thread during its lifetime:
    //     const freehold::traced_heap::attachment here(received->heap);
    class attachment {
    public:
        // Requires, Throws: as attach().
        explicit attachment(traced_heap& heap) : heap_(heap) { heap_.attach(); }
        attachment(const attachment&) = delete;
        attachment& operator=(const attachment&) = delete;
        // Requires: as detach().
        ~attachment() { heap_.detach(); }

    private:
        traced_heap& heap_;
    };

private:
    friend detail::frame_maker;
    friend detail::heap_interface<traced_heap>;
    friend detail::traced_inspector;

    static constexpr bool is_shared = false;

    // Requires: the heap is attached to the calling thread.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE detail::traced_mutator& attached() noexcept {
        detail::traced_collector::expect_attached(mutator_);
        return mutator_;
    }

    // Requires: the heap is attached to the calling thread, or to none.
    [[nodiscard]] const detail::traced_collector& readable() const noexcept {
        detail::traced_collector::expect_not_elsewhere(mutator_);
        return collector_;
    }

    detail::traced_collector collector_;
    detail::traced_mutator mutator_;
};

}  // namespace freehold

#pragma once
// heap_interface: what a traced_heap and a shared_traced_heap do in the same way. Heap is the class derived from it;
// its attached() returns the mutator of the calling thread.

#include <concepts>
#include <cstddef>
#include <utility>

#include "../../core/assert.hpp"
#include "../../core/config.hpp"
#include "../../core/type_name.hpp"
#include "../../memory/page_cache.hpp"
#include "../traced_local.hpp"
#include "../traced_view.hpp"
#include "object_maker.hpp"
#include "traced_collector.hpp"

namespace freehold::inline v0_2 {
template <class T>
class traced_root_vector;
}  // namespace freehold

namespace freehold::inline v0_2::detail {

template <class Heap>
class heap_interface {
public:
    // Returns: a root of a new T(arguments...). Effects: may collect first.
    // Requires: a constructor of T that allocates in this heap is not noexcept. No container in an object of the heap
    // is being changed, unless there is a deferral. Throws: std::bad_alloc, or what the constructor throws.
    template <class T, class... Arguments>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE traced_local<T> make(Arguments&&... arguments) {
        return traced_view<T>(object_maker::make<T, Heap::is_shared>(here(), std::forward<Arguments>(arguments)...));
    }

    // As make, but the object is not kept alive: store or return it before anything else is allocated. For inner loops:
    // a traced_view is returned in a register.
    template <class T, class... Arguments>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE traced_view<T> make_unrooted(Arguments&&... arguments) {
        return traced_view<T>(object_maker::make<T, Heap::is_shared>(here(), std::forward<Arguments>(arguments)...));
    }

    // Returns: a root of a new array of `size` elements T(value...), of which there is one or none.
    // Requires: as make. Throws: std::bad_alloc, or what a constructor throws; std::bad_array_new_length if no array
    // has that size. Complexity: linear in the size.
    template <class T, class... Value>
    [[nodiscard]] traced_local<traced_array<T>> make_array(std::size_t size, const Value&... value) {
        return traced_view<traced_array<T>>(object_maker::make_array<T>(here(), size, value...));
    }

    // Effects: container.emplace_back(arguments...), and no collection comes meanwhile: the constructor of the element
    // may allocate in the heap. Returns: what that returns.
    template <class Container, class... Arguments>
    decltype(auto) emplace_back(Container& container, Arguments&&... arguments) {
        const typename Heap::deferral change(self());
        return container.emplace_back(std::forward<Arguments>(arguments)...);
    }

    // As emplace_back, for container.emplace(arguments...).
    template <class Container, class... Arguments>
    decltype(auto) emplace(Container& container, Arguments&&... arguments) {
        const typename Heap::deferral change(self());
        return container.emplace(std::forward<Arguments>(arguments)...);
    }

    // Effects: a full collection. It destroys all objects that can't be reached, except those with a finalizer. Nothing
    // while a constructor or destructor of an object of this heap is running.
    void collect() noexcept { collect_now(true); }

    // Effects: as collect, for objects that were made since the last collection.
    void collect_young() noexcept { collect_now(false); }

    // Effects: collects as an allocation would: if that is due, or in steps; at every call with
    // collect_at_every_allocation. Nothing while collect() does nothing. For a program that allocates only during
    // deferrals: call it between them, as at the end of a unit of work. In a shared_traced_heap it is a safepoint, also
    // for loops that allocate nothing.
    // Complexity: constant if no collection is due.
    void collect_if_due() noexcept {
        traced_mutator& its = here();
        its.heap.collect_if_due(its);
    }

    // Effects: collect(); gives back all chunks without an object, and trims page_cache::shared(), where they come
    // from. Without a call, a full collection gives that cache all but one of them. While a constructor or destructor
    // of an object of this heap is running, it trims only the cache.
    void trim() noexcept {
        traced_mutator& its = here();
        its.heap.trim(its);
        page_cache::shared().trim();
    }

    // Effects: `finalizer(T&)` will be called once, after a collection finds that the object can't be reached. The
    // object and all that it leads to are intact; what the finalizer stores elsewhere lives on. A later collection
    // destroys the object. Several finalizers of one object run in an unspecified order. Requires: the object is in
    // this heap, and its constructor has returned. If it becomes due while another one runs, it is called after that;
    // in the next collection after 1,000 generations of such finalizers, with a message on stderr. The finalizer throws
    // nothing, and holds no traced_ptr. Throws: std::bad_alloc.
    template <class T, std::invocable<T&> Finalizer>
    void add_finalizer(traced_view<T> object, Finalizer finalizer) {
        FREEHOLD_EXPECTS(here().heap.holds(object.get()), "a finalizer is added to an object of another heap",
                         type_name<traced_view<T>>);
        here().heap.add_finalizer(object.get(), [run = std::move(finalizer)](const void* due) {
            run(*static_cast<T*>(const_cast<void*>(due)));
        });
    }

    template <class Handle, class Finalizer>
        requires traced_handle_to<Handle, typename Handle::element_type>
    void add_finalizer(const Handle& object, Finalizer finalizer) {
        add_finalizer(traced_view<typename Handle::element_type>(object), std::move(finalizer));
    }

    // Effects: the object owns `bytes` bytes outside of the heap that its type does not show, until another call or its
    // death: a texture, or what C code has allocated. What its type shows is counted anyway; see owned_bytes.hpp. If
    // objects own much, the next allocation collects. Requires: the object is in this heap. Throws: std::bad_alloc.
    template <class T>
    void external_bytes(const T* object, std::size_t bytes) {
        FREEHOLD_EXPECTS(here().heap.holds(object), "external_bytes is told of an object of another heap",
                         type_name<T>);
        traced_mutator& its = here();
        its.heap.set_external_bytes(its, object, bytes);
    }

    template <class Handle>
        requires traced_handle_to<Handle, typename Handle::element_type>
    void external_bytes(const Handle& object, std::size_t bytes) {
        external_bytes(object.get(), bytes);
    }

    // Returns: what objects own outside of the heap, as far as their types and calls of external_bytes(object, bytes)
    // tell. New objects are counted by samples.
    [[nodiscard]] std::size_t external_bytes() const noexcept { return self().readable().external_bytes(); }

    // Returns: the bytes of the objects that survived the last collections.
    [[nodiscard]] std::size_t live_bytes() const noexcept { return self().readable().live_bytes(); }

    // Returns: the bytes of memory that the heap has taken.
    [[nodiscard]] std::size_t heap_bytes() const noexcept { return self().readable().heap_bytes(); }

private:
    template <class T>
    friend class freehold::traced_root_vector;

    [[nodiscard]] traced_collector& collector() noexcept { return self().collector_; }

    [[nodiscard]] Heap& self() noexcept { return static_cast<Heap&>(*this); }
    [[nodiscard]] const Heap& self() const noexcept { return static_cast<const Heap&>(*this); }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE auto& here() noexcept { return self().attached(); }

    void collect_now(bool full) noexcept {
        traced_mutator& its = here();
        its.heap.collect(its, full);
    }
};

}  // namespace freehold::detail

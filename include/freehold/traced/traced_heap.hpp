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
#include "detail/array_maker.hpp"
#include "detail/constructed_members.hpp"
#include "detail/construction.hpp"
#include "detail/stored_handles.hpp"
#include "detail/traced_collector.hpp"
#include "detail/traced_types.hpp"
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

class traced_heap {
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
        explicit deferral(traced_heap& heap) noexcept : running_(&heap.attached().constructing) {}

    private:
        const detail::construction running_;
    };

    traced_heap() : traced_heap(traced_heap_options()) {}
    // Throws: std::bad_alloc if options.conservative_stack and the system does not know the stack.
    explicit traced_heap(traced_heap_options options) : collector_(std::move(options)) {}

    // Effects: destroys all objects, and empties all handles to them except traced_ptrs and traced_views. No finalizer
    // runs. What destructors make is destroyed as well, for 1,000 generations; then a message on stderr names a type,
    // and the last destructors are not called. Requires: it is attached to the calling thread, or to none.
    ~traced_heap() = default;

    // Effects: the heap belongs to no thread, and its objects and handles must not be used until attach(). A marking in
    // steps goes on afterwards. Requires: it is attached to the calling thread, of which no traced_local refers to an
    // object; no constructor, destructor or finalizer of an object is running, and there is no deferral. What a
    // conservative stack refers to is no longer kept alive.
    // Complexity: constant with NDEBUG; without it, linear in the thread's stack.
    void detach() noexcept { collector_.detach(); }

    // Effects: the heap belongs to the calling thread, until it calls detach() or destroys the heap, before the thread
    // ends. Requires: it is attached to no thread. The detach() of the thread before happens before this call, as by a
    // mutex, a queue or a join. Throws: std::bad_alloc if options.conservative_stack and the system does not know the
    // stack; then nothing has changed. Complexity: constant.
    void attach() { collector_.attach(); }

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

    // Returns: a root of a new T(arguments...). Effects: may collect first.
    // Requires: a constructor of T that allocates in this heap is not noexcept. No container in an object of the heap
    // is being changed, unless there is a deferral. Throws: std::bad_alloc, or what the constructor throws.
    template <class T, class... Arguments>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE traced_local<T> make(Arguments&&... arguments) {
        return traced_view<T>(create<T>(std::forward<Arguments>(arguments)...));
    }

    // As make, but the object is not kept alive: store or return it before anything else is allocated. For inner loops:
    // a traced_view is returned in a register.
    template <class T, class... Arguments>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE traced_view<T> make_unrooted(Arguments&&... arguments) {
        return traced_view<T>(create<T>(std::forward<Arguments>(arguments)...));
    }

    // Returns: a root of a new array of `size` elements T(value...), of which there is one or none.
    // Requires: as make. Throws: std::bad_alloc, or what a constructor throws; std::bad_array_new_length if no array
    // has that size. Complexity: linear in the size.
    template <class T, class... Value>
    [[nodiscard]] traced_local<traced_array<T>> make_array(std::size_t size, const Value&... value) {
        return traced_view<traced_array<T>>(create_array<T>(size, value...));
    }

    // Effects: container.emplace_back(arguments...), and no collection comes meanwhile: the constructor of the element
    // may allocate in the heap. Returns: what that returns.
    template <class Container, class... Arguments>
    decltype(auto) emplace_back(Container& container, Arguments&&... arguments) {
        const deferral change(*this);
        return container.emplace_back(std::forward<Arguments>(arguments)...);
    }

    // As emplace_back, for container.emplace(arguments...).
    template <class Container, class... Arguments>
    decltype(auto) emplace(Container& container, Arguments&&... arguments) {
        const deferral change(*this);
        return container.emplace(std::forward<Arguments>(arguments)...);
    }

    // Effects: a full collection. It destroys all objects that can't be reached, except those with a finalizer. Nothing
    // while a constructor or destructor of an object of this heap is running.
    void collect() noexcept { attached().collect(true, {}); }

    // Effects: as collect, for objects that were made since the last collection.
    void collect_young() noexcept { attached().collect(false, {}); }

    // Effects: collects as an allocation would: if that is due, or in steps; at every call with
    // collect_at_every_allocation. Nothing while collect() does nothing. For a program that allocates only during
    // deferrals: call it between them, as at the end of a unit of work.
    // Complexity: constant if no collection is due.
    void collect_if_due() noexcept { attached().collect_if_due({}); }

    // Effects: collect(); gives back all chunks without an object, and trims page_cache::shared(), where they come
    // from. Without a call, a full collection gives that cache all but one of them. While a constructor or destructor
    // of an object of this heap is running, it trims only the cache.
    void trim() noexcept {
        attached().trim();
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
        FREEHOLD_EXPECTS(attached().holds(object.get()), "a finalizer is added to an object of another heap",
                         detail::type_name<traced_view<T>>);
        attached().add_finalizer(object.get(), [run = std::move(finalizer)](const void* due) {
            run(*static_cast<T*>(const_cast<void*>(due)));
        });
    }

    template <class Handle, class Finalizer>
        requires detail::traced_handle_to<Handle, typename Handle::element_type>
    void add_finalizer(const Handle& object, Finalizer finalizer) {
        add_finalizer(traced_view<typename Handle::element_type>(object), std::move(finalizer));
    }

    // Effects: the object owns `bytes` bytes outside of the heap that its type does not show, until another call or its
    // death: a texture, or what C code has allocated. What its type shows is counted anyway; see owned_bytes.hpp. If
    // objects own much, the next allocation collects. Requires: the object is in this heap. Throws: std::bad_alloc.
    template <class T>
    void external_bytes(const T* object, std::size_t bytes) {
        FREEHOLD_EXPECTS(attached().holds(object), "external_bytes is told of an object of another heap",
                         detail::type_name<T>);
        attached().set_external_bytes(object, bytes);
    }

    template <class Handle>
        requires detail::traced_handle_to<Handle, typename Handle::element_type>
    void external_bytes(const Handle& object, std::size_t bytes) {
        external_bytes(object.get(), bytes);
    }

    // Returns: what objects own outside of the heap, as far as their types and calls of external_bytes(object, bytes)
    // tell. New objects are counted by samples.
    [[nodiscard]] std::size_t external_bytes() const noexcept { return readable().external_bytes(); }

    // Returns: the bytes of the objects that survived the last collections.
    [[nodiscard]] std::size_t live_bytes() const noexcept { return readable().live_bytes(); }

    // Returns: the bytes of memory that the heap has taken.
    [[nodiscard]] std::size_t heap_bytes() const noexcept { return readable().heap_bytes(); }

private:
    friend detail::frame_maker;
    friend detail::traced_inspector;

    // Requires: the heap is attached to the calling thread.
    [[nodiscard]] detail::traced_collector& attached() noexcept {
        collector_.expect_attached();
        return collector_;
    }

    // Requires: the heap is attached to the calling thread, or to none.
    [[nodiscard]] const detail::traced_collector& readable() const noexcept {
        collector_.expect_not_elsewhere();
        return collector_;
    }

    // Always inline, as its callers and all that it calls: out of line, handles are passed in memory.
    template <class T, class... Arguments>
    FREEHOLD_ALWAYS_INLINE T* create(Arguments&&... arguments) {
        static_assert(std::is_object_v<T> && !std::is_array_v<T> && !std::is_const_v<T>,
                      "freehold: a traced heap makes single objects; for an array there is make_array<T>(size)");
        static_assert(alignof(T) <= detail::traced_chunk::block_bytes, "freehold: the alignment is too large");
        constexpr bool makes = std::is_constructible_v<T, Arguments...>;
        static_assert(makes, "freehold: T has no public constructor that takes these arguments");
        static_cast<void>(sizeof(detail::clear<T>));
        static_assert(detail::is_open<T>);
        if constexpr (makes) {
            collector_.expect_attached();
            void* const cell = take<T>(arguments...);
            detail::annotate_allocated(cell, sizeof(T));
            T* object;
            if constexpr (detail::only_stores_handles<T, Arguments...>()) {
                object = construct<T>(cell, first_of<T>(cell, std::forward<Arguments>(arguments))...);
            } else {
                object = construct<T>(cell, std::forward<Arguments>(arguments)...);
            }
            if constexpr (!std::is_trivially_destructible_v<T>) detail::traced_chunk::mark_for_destruction(cell);
            return object;
        } else {
            return nullptr;
        }
    }

    template <class T, class... Value>
    traced_array<T>* create_array(std::size_t size, const Value&... value) {
        using maker = detail::array_maker<traced_array<T>>;
        static_assert(std::is_object_v<T> && !std::is_const_v<T>, "freehold: an array is of objects");
        static_assert(sizeof...(Value) <= 1 && std::is_constructible_v<T, const Value&...>,
                      "freehold: make_array takes a size, and at most one value for all elements");
        collector_.expect_attached();
        if (size > maker::max_size) detail::raise<std::bad_array_new_length>();
        const void* const held[] = {object_of(value)..., nullptr};
        traced_array<T>* const made = maker::make(collector_, size, held);
        const detail::construction running(count_of<T, const Value&...>());
        made->construct(size, value...);
        return made;
    }

    // Returns: a cell for a T.
    template <class T, class... Arguments>
    FREEHOLD_ALWAYS_INLINE void* take(const Arguments&... arguments) {
        const std::size_t index = detail::traced_type_index<T>.load(std::memory_order_relaxed);  // only a number
        return collector_.cells.take_from_run(index, detail::traced_type_of<T>.cell_bytes,
                                              [&] { return take_slowly<T>(object_of(arguments)...); });
    }

    template <class T, class... Objects>
    FREEHOLD_NOINLINE void* take_slowly(Objects... held) {
        const void* const objects[] = {held..., nullptr};
        const std::size_t index = detail::known_index(detail::traced_type_index<T>);
        return collector_.take_slowly(index, detail::traced_type_of<T>, objects);
    }

    // Returns: the object of an argument that is a handle, or a null pointer.
    template <class Argument>
    static const void* object_of(const Argument& argument) noexcept {
        if constexpr (std::is_base_of_v<detail::traced_handle_tag, Argument>) {
            return argument.get();
        } else {
            return nullptr;
        }
    }

    // Returns: the argument, or for a handle a first_target in the cell.
    template <class T, class Argument>
    FREEHOLD_ALWAYS_INLINE static decltype(auto) first_of(const void* cell, Argument&& argument) noexcept {
        if constexpr (std::is_base_of_v<detail::traced_handle_tag, std::remove_cvref_t<Argument>>) {
            using target = typename std::remove_cvref_t<Argument>::element_type;
            return detail::first_target<target>{argument.get(), cell, sizeof(T)};
        } else {
            return std::forward<Argument>(argument);
        }
    }

    // Returns: the count of the running constructors of this kind. A noexcept constructor does not allocate, so there
    // is no collection to prevent, and only without NDEBUG are they counted.
    template <class T, class... Arguments>
    FREEHOLD_ALWAYS_INLINE std::size_t* count_of() noexcept {
        if constexpr (!std::is_nothrow_constructible_v<T, Arguments...>) return &collector_.constructing;
        return detail::heap_checks::is_on ? &collector_.constructing_without_exceptions : nullptr;
    }

    template <class T, class... Arguments>
    FREEHOLD_ALWAYS_INLINE T* construct(void* cell, Arguments&&... arguments) {
        const detail::construction running(count_of<T, Arguments...>());
        if constexpr (!std::is_nothrow_constructible_v<T, Arguments...>) {
            detail::unmade_object unmade(cell, sizeof(T), detail::type_name<T>);
            T* const object = detail::construct_checked<T>(cell, std::forward<Arguments>(arguments)...);
            unmade.dismiss();
            return object;
        } else {
            return detail::construct_checked<T>(cell, std::forward<Arguments>(arguments)...);
        }
    }

    detail::traced_collector collector_;
};

}  // namespace freehold

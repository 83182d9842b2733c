#pragma once
// traced_heap: a heap of objects that live for as long as they can be reached, in cycles or not.
//
//     freehold::traced_heap heap;
//     freehold::traced_local<node> list = heap.make<node>(1, nullptr);
//     list = heap.make<node>(2, list);
//
// What must be rooted. A collection may come with every call of make, and with nothing else but collect. It keeps what
// can be reached through traced_ptrs from
//     local        a variable on the stack
//     persistent   a handle of any lifetime, anywhere
//     arguments    of the make that collects, where they are handles themselves
// Everything else is no root: not a raw pointer or reference, not a borrowed, not a traced_ptr outside of the heap's
// objects. To find a root that was forgotten, test with collect_at_every_allocation and AddressSanitizer. Or ask for a
// conservative_stack: then whatever a variable on the stack refers to is kept, by a raw pointer, too.
//
// Objects are never moved. Their members are found by `trace` (trace.hpp). A constructor may allocate: there is no
// collection until it has returned. A destructor may allocate, too, and use what it holds but for other objects that
// die with its own, in no particular order. A collection must not come while a container in an object is being changed:
// where the container's elements allocate, a deferral prevents it. Without NDEBUG it is noticed where it does harm.
//
// Thread safety: a heap and all of its handles belong to the thread that made it. Heaps are independent of each other.
// Exceptions: make throws std::bad_alloc, or what the constructor throws; then nothing has changed.
// Complexity: make takes constant time; but for a collection, which takes time in proportion to what survives it: to
// what has survived of the young objects in a young one, to all that is reachable in a full one.
// Cost: no header in an object, which has 16 bytes at least; 1/32 of each chunk for marks and cards. Chunks of 4 MiB
// come from the shared page_cache; what is not touched of them takes no memory. Only types with a destructor are swept.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

#include "../core/alignment.hpp"
#include "../core/annotate.hpp"
#include "../core/assert.hpp"
#include "../core/type_name.hpp"
#include "../tracing/trace.hpp"
#include "detail/traced_collector.hpp"
#include "traced_heap_options.hpp"
#include "traced_local.hpp"
#include "traced_ptr.hpp"
#include "traced_root.hpp"
#include "traced_view.hpp"

namespace freehold {

namespace detail {

template <class T>
inline constexpr traced_type traced_type_of = {
    .cell_bytes = detail::round_up(std::max(sizeof(T), traced_chunk::smallest_cell), alignof(T)),
    .trace = leads_to_traced<T>
                 ? +[](const void* object, traced_marker& marker) { marker.trace(*static_cast<const T*>(object)); }
                 : nullptr,
    .destroy =
        std::is_trivially_destructible_v<T> ? nullptr : +[](void* object) noexcept { static_cast<T*>(object)->~T(); },
    .trace_outside = leads_to_traced<T> && may_lead_outside<T>
                         ? +[](const void* object,
                               traced_marker& marker) { return marker.count_edges(*static_cast<const T*>(object)); }
                         : nullptr,
};

inline constinit std::atomic<std::size_t> traced_type_count = 0;

// The index of a type in all heaps; 0 until an object of it is made.
template <class T>
inline constinit std::atomic<std::size_t> traced_type_index = 0;

// Leaves zeros, which lead nowhere, in a cell whose constructor throws: a conservative stack may still refer to it.
// Where there is a destructor, a bit tells that there is no object.
class unmade_object {
public:
    unmade_object(void* cell, std::size_t bytes) noexcept : cell_(cell), bytes_(bytes) {}
    unmade_object(const unmade_object&) = delete;
    unmade_object& operator=(const unmade_object&) = delete;
    ~unmade_object() {
        if (cell_ != nullptr) std::memset(cell_, 0, bytes_);
    }

    // Effects: the object is made, and stays as it is.
    void is_made() noexcept { cell_ = nullptr; }

private:
    void* cell_;
    std::size_t bytes_;
};

// Counts the constructors that are running.
class construction {
public:
    explicit construction(std::size_t& count) noexcept : count_(count) { ++count_; }
    construction(const construction&) = delete;
    construction& operator=(const construction&) = delete;
    ~construction() { --count_; }

private:
    std::size_t& count_;
};

}  // namespace detail

class traced_heap {
public:
    // As long as it lives, the heap does not collect. For a container in an object of the heap that is being changed,
    // where the elements' constructors, assignments or destructors allocate in the heap:
    //     const freehold::traced_heap::deferral change(heap);
    //     object->parts.resize(1000);
    // Cost: an addition and a subtraction.
    class deferral {
    public:
        // Requires: the heap outlives it.
        explicit deferral(traced_heap& heap) noexcept : running_(heap.collector_.constructing_) {}

    private:
        const detail::construction running_;
    };

    traced_heap() : traced_heap(traced_heap_options()) {}
    // Throws: std::bad_alloc, if a conservative stack is asked for and not found.
    explicit traced_heap(traced_heap_options options) : collector_(std::move(options)) {}

    traced_heap(const traced_heap&) = delete;
    traced_heap& operator=(const traced_heap&) = delete;

    // Effects: destroys all objects, and empties all handles to them but traced_ptrs and traced_views. No finalizer
    // runs.
    ~traced_heap() = default;

    // Returns: a new T(arguments...), which is kept alive. Effects: may collect, before.
    // Requires: a constructor of T that allocates in this heap is not noexcept. No container in an object of the heap
    // is being changed, unless a deferral lives. Throws: std::bad_alloc, or what the constructor throws.
    template <class T, class... Arguments>
    [[nodiscard, gnu::always_inline]] traced_local<T> make(Arguments&&... arguments) {
        return traced_view<T>(create<T>(std::forward<Arguments>(arguments)...));
    }

    // The same, but the object is not kept alive: it is to be stored or returned before anything else is allocated. For
    // inner loops: a borrowed is returned in a register.
    template <class T, class... Arguments>
    [[nodiscard, gnu::always_inline]] traced_view<T> make_unrooted(Arguments&&... arguments) {
        return traced_view<T>(create<T>(std::forward<Arguments>(arguments)...));
    }

    // Effects: a full collection: what can't be reached is gone, but for what is yet to be finalized. Nothing while a
    // constructor or destructor of an object of this heap is running.
    void collect() noexcept { collector_.collect(true, {}); }

    // Effects: the same for objects that were made since the last collection, in time in proportion to those that live.
    void collect_young() noexcept { collector_.collect(false, {}); }

    // Effects: `finalizer(T&)` will be called once, after a collection found that the object can't be reached. The
    // object is whole, and so is all that it leads to; what the finalizer stores elsewhere lives on. Otherwise a later
    // collection destroys the object. Several finalizers of one object run in no particular order. Requires: the object
    // is in this heap, and its constructor has returned. The finalizer throws nothing, and holds no traced_ptr.
    template <class T, std::invocable<T&> Finalizer>
    void add_finalizer(traced_view<T> object, Finalizer finalizer) {
        FREEHOLD_EXPECTS(collector_.holds(object.get()), "a finalizer is added to an object of another heap",
                         detail::type_name<traced_view<T>>);
        collector_.add_finalizer(object.get(), [run = std::move(finalizer)](const void* due) {
            run(*static_cast<T*>(const_cast<void*>(due)));
        });
    }

    template <class Handle, class Finalizer>
        requires detail::traced_handle_to<Handle, typename Handle::element_type>
    void add_finalizer(const Handle& object, Finalizer finalizer) {
        add_finalizer(traced_view<typename Handle::element_type>(object), std::move(finalizer));
    }

    // Returns: how many bytes the objects have that the last collections found alive.
    [[nodiscard]] std::size_t live_bytes() const noexcept { return collector_.live_bytes(); }

    // Returns: how many bytes of memory the heap has taken.
    [[nodiscard]] std::size_t heap_bytes() const noexcept { return collector_.heap_bytes(); }

private:
    // Always inline, with all that it calls and like its callers: out of line, handles are passed in memory.
    template <class T, class... Arguments>
    [[gnu::always_inline]] T* create(Arguments&&... arguments) {
        static_assert(std::is_object_v<T> && !std::is_array_v<T> && !std::is_const_v<T>,
                      "freehold: a traced heap makes single objects; an array can be a member of one");
        static_assert(alignof(T) <= detail::traced_chunk::block_bytes, "freehold: the alignment is too large");
        static_assert(std::is_constructible_v<T, Arguments...>, "freehold: T can't be made from these arguments");
        void* const cell = take<T>(arguments...);
        detail::annotate_allocated(cell, sizeof(T));
        T* const object = construct<T>(cell, std::forward<Arguments>(arguments)...);
        if constexpr (!std::is_trivially_destructible_v<T>) {
            detail::traced_block& block = detail::traced_chunk::block_of(cell);
            const std::size_t index = block.index_of(cell);
            block.destroyed[index / 64] |= std::uint64_t{1} << index % 64;
        }
        return object;
    }

    // Returns: a cell for a T.
    template <class T, class... Arguments>
    [[gnu::always_inline]] void* take(const Arguments&... arguments) {
        const std::size_t index = detail::traced_type_index<T>.load(std::memory_order_relaxed);  // only a number
        if (index < collector_.run_room_) [[likely]] {
            detail::traced_run& run = collector_.runs_[index];
            std::byte* const cell = run.begin;
            if (cell != run.end) [[likely]] {
                run.begin = cell + detail::traced_type_of<T>.cell_bytes;
                return cell;
            }
        }
        return take_slowly<T>(object_of(arguments)...);
    }

    template <class T, class... Objects>
    [[gnu::noinline]] void* take_slowly(Objects... held) {
        std::atomic<std::size_t>& index = detail::traced_type_index<T>;
        // Both are only numbers, and order nothing else.
        if (index.load(std::memory_order_relaxed) == 0) {
            std::size_t unknown = 0;
            const std::size_t next = detail::traced_type_count.fetch_add(1, std::memory_order_relaxed) + 1;
            index.compare_exchange_strong(unknown, next, std::memory_order_relaxed);
        }
        const void* const objects[] = {held..., nullptr};
        return collector_.take_slowly(index.load(std::memory_order_relaxed), detail::traced_type_of<T>, objects);
    }

    // Returns: the object of an argument that is a handle; a null pointer for another.
    template <class Argument>
    static const void* object_of(const Argument& argument) noexcept {
        if constexpr (std::is_base_of_v<detail::traced_handle_tag, Argument>) {
            return argument.get();
        } else {
            return nullptr;
        }
    }

    // What says that it throws nothing does not allocate, so that collections need not know of it.
    template <class T, class... Arguments>
    [[gnu::always_inline]] T* construct(void* cell, Arguments&&... arguments) {
        if constexpr (!std::is_nothrow_constructible_v<T, Arguments...>) {
            const detail::construction running(collector_.constructing_);
            detail::unmade_object unmade(cell, sizeof(T));
            T* const object = ::new (cell) T(std::forward<Arguments>(arguments)...);
            unmade.is_made();
            return object;
        } else {
#ifndef NDEBUG
            const detail::construction running(collector_.constructing_without_exceptions_);
#endif
            return ::new (cell) T(std::forward<Arguments>(arguments)...);
        }
    }

    detail::traced_collector collector_;
};

}  // namespace freehold

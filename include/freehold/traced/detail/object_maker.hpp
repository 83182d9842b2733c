#pragma once
// object_maker: makes an object in a traced heap: takes a cell, and constructs the object there.

#include <atomic>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "../../core/annotate.hpp"
#include "../../core/config.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/type_name.hpp"
#include "../traced_array.hpp"
#include "../traced_ptr.hpp"
#include "array_maker.hpp"
#include "constructed_members.hpp"
#include "construction.hpp"
#include "stored_handles.hpp"
#include "traced_collector.hpp"
#include "traced_types.hpp"

namespace freehold::inline v0_2::detail {

class object_maker {
public:
    // Returns: a new T(arguments...). Effects: may collect first; what arguments that are handles lead to survives.
    // Throws: std::bad_alloc, or what the constructor throws. Always inline, as its callers and all that it calls: out
    // of line, handles are passed in memory.
    // Of a heap that `is_shared`, another thread may close the allocator.
    template <class T, bool is_shared, class... Arguments>
    FREEHOLD_ALWAYS_INLINE static T* make(traced_mutator& here, Arguments&&... arguments) {
        static_assert(std::is_object_v<T> && !std::is_array_v<T> && !std::is_const_v<T>,
                      "freehold: a traced heap makes single objects; for an array there is make_array<T>(size)");
        static_assert(alignof(T) <= traced_chunk::block_bytes, "freehold: the alignment is too large");
        constexpr bool makes = std::is_constructible_v<T, Arguments...>;
        static_assert(makes, "freehold: T has no public constructor that takes these arguments");
        static_cast<void>(sizeof(clear<T>));
        static_assert(is_open<T>);
        if constexpr (makes) {
            void* const cell = take<T, is_shared>(here, arguments...);
            detail::annotate_allocated(cell, sizeof(T));
            T* object;
            if constexpr (detail::only_stores_handles<T, Arguments...>()) {
                object = construct<T>(here, cell, first_of<T>(cell, std::forward<Arguments>(arguments))...);
            } else {
                object = construct<T>(here, cell, std::forward<Arguments>(arguments)...);
            }
            if constexpr (!std::is_trivially_destructible_v<T>) traced_chunk::mark_for_destruction(cell);
            return object;
        } else {
            return nullptr;
        }
    }

    // Returns: a new array of `size` elements T(value...). Throws: as make; std::bad_array_new_length if no array has
    // that size.
    template <class T, class... Value>
    static traced_array<T>* make_array(traced_mutator& here, std::size_t size, const Value&... value) {
        using maker = array_maker<traced_array<T>>;
        static_assert(std::is_object_v<T> && !std::is_const_v<T>, "freehold: an array is of objects");
        static_assert(sizeof...(Value) <= 1 && std::is_constructible_v<T, const Value&...>,
                      "freehold: make_array takes a size, and at most one value for all elements");
        if (size > maker::max_size) raise<std::bad_array_new_length>();
        const void* const held[] = {object_of(value)..., nullptr};
        traced_array<T>* const made = maker::make(here, size, held);
        const construction running(count_of<T, const Value&...>(here));
        made->construct(size, value...);
        return made;
    }

    // Returns: the object of an argument that is a handle, or a null pointer.
    template <class Argument>
    [[nodiscard]] static const void* object_of(const Argument& argument) noexcept {
        if constexpr (std::is_base_of_v<traced_handle_tag, Argument>) {
            return argument.get();
        } else {
            return nullptr;
        }
    }

private:
    // Returns: a cell for a T.
    template <class T, bool is_shared, class... Arguments>
    FREEHOLD_ALWAYS_INLINE static void* take(traced_mutator& here, const Arguments&... arguments) {
        const std::size_t index = traced_type_index<T>.load(std::memory_order_relaxed);  // only a number
        return here.cells.template take_from_run<is_shared>(
            index, traced_type_of<T>.cell_bytes, [&] { return take_slowly<T>(here, object_of(arguments)...); });
    }

    template <class T, class... Objects>
    FREEHOLD_NOINLINE static void* take_slowly(traced_mutator& here, Objects... held) {
        const void* const objects[] = {held..., nullptr};
        const std::size_t index = detail::known_index(traced_type_index<T>);
        return here.heap.take_slowly(here, index, traced_type_of<T>, objects);
    }

    // Returns: the argument, or for a handle a first_target in the cell.
    template <class T, class Argument>
    FREEHOLD_ALWAYS_INLINE static decltype(auto) first_of(const void* cell, Argument&& argument) noexcept {
        if constexpr (std::is_base_of_v<traced_handle_tag, std::remove_cvref_t<Argument>>) {
            using target = typename std::remove_cvref_t<Argument>::element_type;
            return first_target<target>{argument.get(), cell, sizeof(T)};
        } else {
            return std::forward<Argument>(argument);
        }
    }

    // Returns: the count of the running constructors of this kind. A noexcept constructor does not allocate, so there
    // is no collection to prevent, and only without NDEBUG are they counted.
    template <class T, class... Arguments>
    FREEHOLD_ALWAYS_INLINE static std::size_t* count_of(traced_mutator& here) noexcept {
        if constexpr (!std::is_nothrow_constructible_v<T, Arguments...>) return &here.constructing;
        return heap_checks::is_on ? &here.constructing_without_exceptions : nullptr;
    }

    template <class T, class... Arguments>
    FREEHOLD_ALWAYS_INLINE static T* construct(traced_mutator& here, void* cell, Arguments&&... arguments) {
        const construction running(count_of<T, Arguments...>(here));
        if constexpr (!std::is_nothrow_constructible_v<T, Arguments...>) {
            unmade_object unmade(cell, sizeof(T), type_name<T>);
            T* const object = detail::construct_checked<T>(cell, std::forward<Arguments>(arguments)...);
            unmade.dismiss();
            return object;
        } else {
            return detail::construct_checked<T>(cell, std::forward<Arguments>(arguments)...);
        }
    }
};

}  // namespace freehold::detail

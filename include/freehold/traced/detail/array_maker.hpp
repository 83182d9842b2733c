#pragma once
// The memory and the types of arrays in a heap: what it must know to trace and destroy one.
//
// An Array is a traced_array or a buffer of a container (traced_buffer.hpp). Its elements follow it, at offset(). It
// says which are traced: traced_parts() returns spans of them.

#include <cstddef>
#include <limits>
#include <new>
#include <span>
#include <type_traits>

#include "../../core/alignment.hpp"
#include "../../core/type_name.hpp"
#include "../../tracing/hidden_pointers.hpp"
#include "../../tracing/owned_bytes.hpp"
#include "../../tracing/points_directly.hpp"
#include "../../tracing/trace.hpp"
#include "../../tracing/traces_concurrently.hpp"
#include "heap_checks.hpp"
#include "hidden_words.hpp"
#include "sized_cells.hpp"
#include "traced_chunk.hpp"
#include "traced_collector.hpp"
#include "traced_marker.hpp"
#include "traced_types.hpp"
#include "undeclared_classes.hpp"

namespace freehold::inline v0_2::detail {

template <class Array>
class array_maker {
    using T = typename Array::value_type;

    using sized = sized_cells<array_maker, alignof(T)>;
    friend sized;

public:
    // More elements fit in no address space.
    static constexpr std::size_t max_size =
        (std::size_t{1} << (std::numeric_limits<std::size_t>::digits - 8)) / sizeof(T);

    // The bytes of an array. Requires: size <= max_size.
    [[nodiscard]] static constexpr std::size_t bytes_of(std::size_t size) noexcept {
        return Array::offset() + size * sizeof(T);
    }

    // Returns: the number of elements for which the memory of an array of `size` elements suffices.
    [[nodiscard]] static constexpr std::size_t capacity_for(std::size_t size) noexcept {
        const std::size_t bytes = bytes_of(size);
        if (sized::is_large(bytes)) return size;
        return (cell_sizes::of(cell_sizes::number_for(bytes)) - Array::offset()) / sizeof(T);
    }

    // Returns: an array without elements, Array(arguments...), with memory for `size` elements. Effects: may collect;
    // the objects of `held` survive. Requires: size <= max_size. Throws: std::bad_alloc.
    template <class... Arguments>
    [[nodiscard]] static Array* make(traced_mutator& here, std::size_t size, std::span<const void* const> held,
                                     Arguments... arguments) {
        static_assert(alignof(T) <= traced_chunk::max_cell_bytes, "freehold: the alignment is too large");
        constexpr bool is_destroyed = !std::is_trivially_destructible_v<T>;
        return ::new (sized::take(here, bytes_of(size), held, is_destroyed)) Array(arguments...);
    }

private:
    template <std::size_t before>
    [[nodiscard]] static const Array& array_in(const void* cell) noexcept {
        return *std::launder(reinterpret_cast<const Array*>(static_cast<const std::byte*>(cell) + before));
    }

    // The members of traced_type.

    template <std::size_t before>
    static void trace(const void* cell, traced_marker& marker) {
        if constexpr (leads_to_traced<T> && before != 0) {
            marker.trace_large(cell, *static_cast<const traced_type*>(cell));
        } else if constexpr (leads_to_traced<T>) {
            for (const auto part : array_in<before>(cell).traced_parts()) {
                for (const T& each : part) marker.trace(each);
            }
        }
        if constexpr (is_asked<T>) marker.ask(cell, owned_bytes<before>);
    }

    template <std::size_t before>
    static void trace_part(const void* cell, const std::byte* begin, const std::byte* end, traced_marker& marker) {
        for (const auto part : array_in<before>(cell).traced_parts()) {
            const auto* const first = reinterpret_cast<const std::byte*>(part.data());
            if (end <= first) continue;
            std::size_t i = begin <= first ? 0 : static_cast<std::size_t>(begin - first) / sizeof(T);
            const std::size_t last =
                detail::smaller(static_cast<std::size_t>(end - first - 1) / sizeof(T) + 1, part.size());
            for (; i < last; ++i) marker.trace(part[i]);
        }
    }

    template <std::size_t before>
    static std::size_t trace_outside(const void* cell, traced_marker& marker) {
        std::size_t edges = 0;
        for (const auto part : array_in<before>(cell).traced_parts()) {
            for (const T& each : part) edges += marker.count_edges(each);
        }
        return edges;
    }

    // Asks some elements, at equal distances.
    template <std::size_t before>
    static std::size_t owned_bytes(const void* cell) noexcept {
        constexpr std::size_t max_asked = 16;
        const Array& whole = array_in<before>(cell);
        const std::size_t distance = whole.size() / max_asked + 1;
        std::size_t bytes = 0;
        std::size_t asked = 0;
        for (std::size_t i = 0; i < whole.size(); i += distance, ++asked) bytes += freehold::owned_bytes(whole[i]);
        return asked == 0 ? 0 : bytes / asked * whole.size();
    }

    [[nodiscard]] static constexpr const char* name() noexcept {
        if constexpr (requires { Array::name; }) {
            return Array::name;
        } else {
            return type_name<Array>;
        }
    }

    template <std::size_t before, class Checker>
    static void check_elements(const void* cell, Checker& checker) noexcept {
        for (const auto part : array_in<before>(cell).traced_parts()) {
            for (const T& each : part) checker.check_object(each);
        }
    }

    template <std::size_t before>
    [[nodiscard]] static constexpr traced_type type(std::size_t cell_bytes) noexcept {
        traced_type made = {.name = name(), .cell_bytes = cell_bytes};
        if constexpr ((is_open<T> && leads_to_traced<T>) || is_asked<T>) made.trace = trace<before>;
        if constexpr (leads_to_traced<T>) made.trace_part = trace_part<before>;
        if constexpr (may_lead_outside<T>) made.trace_outside = trace_outside<before>;
        if constexpr (is_asked<T>) made.owned_bytes = owned_bytes<before>;
        made.is_concurrent = Array::has_fixed_slots && detail::is_traced_concurrently<T>();
        if constexpr (may_hide_words<T>) made.check_hidden = check_elements<before, hidden_words>;
        if constexpr (may_lack_declaration<T>) made.find_undeclared = check_elements<before, undeclared_classes>;
        if constexpr (!std::is_trivially_destructible_v<T>) {
            made.destroy = [](void* cell) noexcept {
                const heap_checks::destruction running;
                const_cast<Array&>(array_maker::array_in<before>(cell)).destroy_elements();
            };
        }
        return made;
    }
};

}  // namespace freehold::detail

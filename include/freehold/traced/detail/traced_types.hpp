#pragma once
// What a traced heap knows of each type: how to trace and destroy an object, and the index of the type in all heaps.

#include <atomic>
#include <cstddef>
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
#include "traced_chunk.hpp"
#include "traced_marker.hpp"
#include "undeclared_classes.hpp"

namespace freehold::inline v0_2::detail {

// Whether an object is asked what it owns. If it is declared to hold nothing but traced_ptrs, it owns nothing.
template <class T>
inline constexpr bool is_asked = may_own_memory<T> && (!traces_concurrently<T> || tells_external_bytes<T>);

template <class T>
[[nodiscard]] std::size_t owned_bytes_at(const void* object) noexcept {
    return freehold::owned_bytes(*static_cast<const T*>(object));
}

// Effects: marks what an object leads to, and counts what it owns outside of the heap.
template <class T>
void trace_at(const void* address, traced_marker& marker) {
    const T& object = *static_cast<const T*>(address);
    if constexpr (leads_to_traced<T>) marker.trace(object);
    if constexpr (is_asked<T>) marker.ask(address, owned_bytes_at<T>);
}

template <class T, class Checker>
void check_at(const void* object, Checker& checker) noexcept {
    checker.check_object(*static_cast<const T*>(object));
}

template <class T>
inline constexpr traced_type traced_type_of = {
    .name = type_name<T>,
    .cell_bytes = detail::round_up(detail::larger(sizeof(T), traced_chunk::min_cell_bytes), alignof(T)),
    .trace = (is_open<T> && leads_to_traced<T>) || is_asked<T> ? trace_at<T> : nullptr,
    .destroy =
        std::is_trivially_destructible_v<T> ? nullptr : +[](void* object) noexcept {
            const heap_checks::destruction running;
            static_cast<T*>(object)->~T();
        },
    .trace_outside = may_lead_outside<T>
                         ? +[](const void* object,
                               traced_marker& marker) { return marker.count_edges(*static_cast<const T*>(object)); }
                         : nullptr,
    .owned_bytes = is_asked<T> ? owned_bytes_at<T> : nullptr,
    .check_hidden = may_hide_words<T> ? check_at<T, hidden_words> : nullptr,
    .find_undeclared = may_lack_declaration<T> ? check_at<T, undeclared_classes> : nullptr,
    .is_concurrent = !is_asked<T> && detail::is_traced_concurrently<T>(),
};

inline constinit std::atomic<std::size_t> traced_type_count = 0;

// The index of a type in all heaps; 0 until the first object is made.
template <class T>
inline constinit std::atomic<std::size_t> traced_type_index = 0;

// Returns: the index, which is not 0.
[[nodiscard]] inline std::size_t known_index(std::atomic<std::size_t>& index) noexcept {
    // relaxed: both are only numbers, and order nothing else
    if (index.load(std::memory_order_relaxed) == 0) {
        std::size_t unknown = 0;
        const std::size_t next = traced_type_count.fetch_add(1, std::memory_order_relaxed) + 1;
        index.compare_exchange_strong(unknown, next, std::memory_order_relaxed);
    }
    return index.load(std::memory_order_relaxed);
}

}  // namespace freehold::detail

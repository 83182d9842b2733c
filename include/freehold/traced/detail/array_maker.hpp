#pragma once
// The memory and the types of traced_arrays: what a heap must know to trace and destroy one.
//
// An array of up to 16 KiB is in a cell of one of 36 sizes, each of which has a type. A larger one is in blocks of its
// own, which begin with its type, and the traced_array follows.

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/type_name.hpp"
#include "../../tracing/hidden_pointers.hpp"
#include "../../tracing/owned_bytes.hpp"
#include "../../tracing/points_directly.hpp"
#include "../../tracing/trace.hpp"
#include "../traced_array.hpp"
#include "constructed_members.hpp"
#include "heap_checks.hpp"
#include "hidden_words.hpp"
#include "traced_chunk.hpp"
#include "traced_marker.hpp"

namespace freehold::inline v0_2::detail {

// The sizes of cells for arrays: multiples of 16 bytes up to 128, then four between a power of two and the next.
struct array_sizes {
    static constexpr std::size_t unit = 16;
    static constexpr std::size_t count = 36;

    // Returns: the number of the smallest size for the bytes. Requires: 0 < bytes <= of(count - 1).
    [[nodiscard]] static constexpr std::size_t number_for(std::size_t bytes) noexcept {
        const std::size_t units = (bytes - 1) / unit;
        const auto width = static_cast<std::size_t>(std::bit_width(units));
        const std::size_t shift = width > 3 ? width - 3 : 0;
        return 4 * shift + (units >> shift);
    }

    [[nodiscard]] static constexpr std::size_t of(std::size_t number) noexcept {
        if (number < 8) return (number + 1) * unit;
        const std::size_t shift = number / 4 - 1;
        return (number - 4 * shift + 1) * unit << shift;
    }
};

static_assert(array_sizes::of(array_sizes::count - 1) == traced_chunk::max_cell_bytes);

template <class T>
class array_maker {
    using array = traced_array<T>;

    // The bytes before a traced_array that has blocks of its own.
    static constexpr std::size_t type_bytes =
        round_up(sizeof(traced_type), detail::larger(alignof(T), array_sizes::unit));

public:
    // More elements fit in no address space.
    static constexpr std::size_t max_size =
        (std::size_t{1} << (std::numeric_limits<std::size_t>::digits - 8)) / sizeof(T);

    // The bytes of an array. Requires: size <= max_size.
    [[nodiscard]] static constexpr std::size_t bytes_of(std::size_t size) noexcept {
        return array::offset() + size * sizeof(T);
    }

    [[nodiscard]] static constexpr bool is_large(std::size_t bytes) noexcept {
        return round_up(bytes, alignof(T)) > traced_chunk::max_cell_bytes;
    }

    // The indices of the types in all heaps, by the number of the size; 0 until the first array is made. The last one
    // is that of all large arrays.
    static inline constinit std::array<std::atomic<std::size_t>, array_sizes::count + 1> indices = {};

    // Returns: the type of arrays in cells of that many bytes.
    [[nodiscard]] static constexpr traced_type small_type(std::size_t cell_bytes) noexcept {
        return type<0>(round_up(cell_bytes, alignof(T)));
    }

    // Returns: a type for a large array of that many bytes.
    [[nodiscard]] static traced_type large_type(std::size_t bytes) noexcept {
        return type<type_bytes>(type_bytes + bytes);
    }

    // Returns: the place for the array in the memory that it has for itself. Effects: the type moves there.
    [[nodiscard]] static void* place_in_large(void* memory, const traced_type& type) noexcept {
        traced_chunk::set_type(memory, *::new (memory) traced_type(type));
        return static_cast<std::byte*>(memory) + type_bytes;
    }

    // Effects: makes an array of elements T(value...). Throws: what the constructors throw; then those that were made
    // are destroyed, and the array is empty.
    template <class... Value>
    [[nodiscard]] static array* construct(void* place, std::size_t size, const Value&... value) {
        partial made(::new (place) array(0));
        T* const first = made.owner->data();
        if constexpr (sizeof...(Value) == 0 && std::is_trivially_default_constructible_v<T>) {
            std::memset(static_cast<void*>(first), 0, size * sizeof(T));
            made.owner->size_ = size;
        } else {
            for (; made.owner->size_ != size; ++made.owner->size_)
                detail::construct_checked<T>(first + made.owner->size_, value...);
        }
        return std::exchange(made.owner, nullptr);
    }

private:
    // An array whose elements are being made.
    struct partial {
        explicit partial(array* made) noexcept : owner(made) {}
        partial(const partial&) = delete;
        partial& operator=(const partial&) = delete;
        ~partial() {
            if (owner != nullptr) array_maker::destroy(*owner);
        }
        array* owner;
    };

    static void destroy(array& dead) noexcept {
        if constexpr (!std::is_trivially_destructible_v<T>) {
            for (T* last = dead.end(); last != dead.begin();) (--last)->~T();
        }
        dead.size_ = 0;
    }

    template <std::size_t before>
    [[nodiscard]] static const array& array_in(const void* cell) noexcept {
        return *std::launder(reinterpret_cast<const array*>(static_cast<const std::byte*>(cell) + before));
    }

    // The members of traced_type.

    template <std::size_t before>
    static void trace(const void* cell, traced_marker& marker) {
        if constexpr (leads_to_traced<T> && before != 0) {
            marker.trace_large(cell, *static_cast<const traced_type*>(cell));
        } else if constexpr (leads_to_traced<T>) {
            for (const T& each : array_in<before>(cell)) marker.trace(each);
        }
        if constexpr (may_own_memory<T>) marker.ask(cell, owned_bytes<before>);
    }

    template <std::size_t before>
    static void trace_part(const void* cell, const std::byte* begin, const std::byte* end, traced_marker& marker) {
        const array& whole = array_in<before>(cell);
        const auto* const first = reinterpret_cast<const std::byte*>(whole.data());
        if (end <= first) return;
        std::size_t i = begin <= first ? 0 : static_cast<std::size_t>(begin - first) / sizeof(T);
        const std::size_t last =
            detail::smaller(static_cast<std::size_t>(end - first - 1) / sizeof(T) + 1, whole.size());
        for (; i < last; ++i) marker.trace(whole[i]);
    }

    template <std::size_t before>
    static std::size_t trace_outside(const void* cell, traced_marker& marker) {
        std::size_t edges = 0;
        for (const T& each : array_in<before>(cell)) edges += marker.count_edges(each);
        return edges;
    }

    // Asks some elements, at equal distances.
    template <std::size_t before>
    static std::size_t owned_bytes(const void* cell) noexcept {
        constexpr std::size_t max_asked = 16;
        const array& whole = array_in<before>(cell);
        const std::size_t distance = whole.size() / max_asked + 1;
        std::size_t bytes = 0;
        std::size_t asked = 0;
        for (std::size_t i = 0; i < whole.size(); i += distance, ++asked) bytes += freehold::owned_bytes(whole[i]);
        return asked == 0 ? 0 : bytes / asked * whole.size();
    }

    template <std::size_t before>
    static void check_hidden(const void* cell, hidden_words& words) noexcept {
        for (const T& each : array_in<before>(cell)) words.check_object(each);
    }

    template <std::size_t before>
    [[nodiscard]] static constexpr traced_type type(std::size_t cell_bytes) noexcept {
        traced_type made = {.name = type_name<array>, .cell_bytes = cell_bytes};
        if constexpr ((is_open<T> && leads_to_traced<T>) || may_own_memory<T>) made.trace = trace<before>;
        if constexpr (leads_to_traced<T>) made.trace_part = trace_part<before>;
        if constexpr (may_lead_outside<T>) made.trace_outside = trace_outside<before>;
        if constexpr (may_own_memory<T>) made.owned_bytes = owned_bytes<before>;
        if constexpr (may_hide_words<T>) made.check_hidden = check_hidden<before>;
        if constexpr (!std::is_trivially_destructible_v<T>) {
            made.destroy = [](void* cell) noexcept {
                const heap_checks::destruction running;
                array_maker::destroy(const_cast<array&>(array_maker::array_in<before>(cell)));
            };
        }
        return made;
    }
};

// The types of arrays that are not large, by the number of their size.
template <class T>
inline constexpr auto array_types = []<std::size_t... number>(std::index_sequence<number...>) {
    return std::array{array_maker<T>::small_type(array_sizes::of(number))...};
}(std::make_index_sequence<array_sizes::count>());

}  // namespace freehold::detail

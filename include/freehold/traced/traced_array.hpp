#pragma once
// traced_array<T>: an array in a traced heap, whose length is known when it is made.
//
//     freehold::traced_local<freehold::traced_array<freehold::traced_ptr<node>>> edges =
//         heap.make_array<freehold::traced_ptr<node>>(n);        // n null pointers
//     (*edges)[0] = heap.make<node>();
//     for (auto& edge : *edges) edge = nullptr;
//
// The elements are in the array itself, and of any type that may be a member of an object of the heap. The length does
// not change; a traced_vector grows. Only make_array makes one.
//
// Thread safety: that of its heap, which belongs to one thread at a time. Exceptions: those of the elements.
// Complexity: constant for each function here. Cost: a word for the length. One of up to 16 KiB takes up to a quarter
// more than its elements need, a larger one a multiple of 64 KiB. A young collection looks at the elements that were
// stored into, not at all of an old array.

#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>

#include "../core/alignment.hpp"
#include "../core/assert.hpp"
#include "../core/type_name.hpp"
#include "../tracing/trace.hpp"
#include "detail/constructed_members.hpp"

namespace freehold::inline v0_2 {

namespace detail {

template <class Array>
class array_maker;
class object_maker;

}  // namespace detail

template <class T>
class traced_array {
public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using const_reference = const T&;
    using iterator = T*;
    using const_iterator = const T*;

    traced_array(const traced_array&) = delete;
    traced_array& operator=(const traced_array&) = delete;

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

    // Requires: i < size().
    [[nodiscard]] T& operator[](std::size_t i) noexcept { return *(data() + checked(i)); }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return *(data() + checked(i)); }

    [[nodiscard]] T* data() noexcept { return std::launder(reinterpret_cast<T*>(bytes() + offset())); }
    [[nodiscard]] const T* data() const noexcept { return const_cast<traced_array*>(this)->data(); }

    [[nodiscard]] T* begin() noexcept { return data(); }
    [[nodiscard]] T* end() noexcept { return data() + size_; }
    [[nodiscard]] const T* begin() const noexcept { return data(); }
    [[nodiscard]] const T* end() const noexcept { return data() + size_; }

private:
    friend detail::object_maker;
    friend detail::array_maker<traced_array>;

    // Its elements are there as long as it is.
    static constexpr bool has_fixed_slots = true;

    traced_array() noexcept = default;

    // The heap destroys the elements. Not trivial, as trace() would take the array for a leaf.
    ~traced_array() {}  // NOLINT(modernize-use-equals-default)

    [[nodiscard]] std::byte* bytes() noexcept { return reinterpret_cast<std::byte*>(this); }

    // Where the elements begin.
    [[nodiscard]] static constexpr std::size_t offset() noexcept {
        return detail::round_up(sizeof(traced_array), alignof(T));
    }

    // Effects: constructs elements T(value...). Requires: there are none, and memory for `size`. Throws: what the
    // constructors throw; then those that were made are destroyed.
    template <class... Value>
    void construct(std::size_t size, const Value&... value) {
        if constexpr (sizeof...(Value) == 0 && std::is_trivially_default_constructible_v<T>) {
            std::memset(static_cast<void*>(data()), 0, size * sizeof(T));
            size_ = size;
        } else {
            struct partial {
                explicit partial(traced_array& made) noexcept : array(&made) {}
                partial(const partial&) = delete;
                partial& operator=(const partial&) = delete;
                ~partial() {
                    if (array != nullptr) array->destroy_elements();
                }
                traced_array* array;
            };
            partial made(*this);
            for (; size_ != size; ++size_) detail::construct_checked<T>(data() + size_, value...);
            made.array = nullptr;
        }
    }

    void destroy_elements() noexcept {
        if constexpr (!std::is_trivially_destructible_v<T>) {
            for (T* last = end(); last != begin();) (--last)->~T();
        }
        size_ = 0;
    }

    [[nodiscard]] std::array<std::span<const T>, 1> traced_parts() const noexcept { return {{{data(), size_}}}; }

    [[nodiscard]] std::size_t checked(std::size_t i) const noexcept {
        FREEHOLD_EXPECTS(i < size_, "an array is indexed beyond its end", detail::type_name<traced_array>);
        return i;
    }

    std::size_t size_ = 0;
};

template <class T>
inline constexpr bool is_traced_range<traced_array<T>> = true;

}  // namespace freehold

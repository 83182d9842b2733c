#pragma once
// The memory of a container in a heap: an array of which some elements have been constructed. It is an object of the
// heap, so a container is no more than a traced_ptr to it.
//
// A linear_buffer has its elements at the beginning. In a ring_buffer they begin anywhere, and go on at the beginning.
// The collector looks at the elements alone: what was removed is not traced, and keeps nothing alive. But traced_ptrs
// are there from the beginning, null where there is no element: so the helper of a heap may read them at any time.

#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>

#include "../../core/alignment.hpp"
#include "../../core/config.hpp"
#include "../../core/type_name.hpp"
#include "../../tracing/trace.hpp"

namespace freehold::inline v0_2::detail {

template <class T>
class linear_buffer {
public:
    using value_type = T;

    // What it is called in messages and snapshots: its container.
    static constexpr const char* name = pointer_name<"traced_", "vector", T>;

    static constexpr bool has_fixed_slots = is_traced_pointer<T>;

    explicit linear_buffer(std::size_t capacity) noexcept : capacity_(capacity) {
        if constexpr (has_fixed_slots) std::memset(static_cast<void*>(place(0)), 0, capacity * sizeof(T));
    }
    linear_buffer(const linear_buffer&) = delete;
    linear_buffer& operator=(const linear_buffer&) = delete;
    // Not trivial, as trace() would take the buffer for a leaf.
    ~linear_buffer() {}  // NOLINT(modernize-use-equals-default)

    // Where the elements begin.
    [[nodiscard]] static constexpr std::size_t offset() noexcept {
        return detail::round_up(sizeof(linear_buffer), alignof(T));
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

    // Returns: the place of the element before which there are `i`, constructed or not.
    [[nodiscard]] T* place(std::size_t i) const noexcept {
        auto* const bytes = reinterpret_cast<std::byte*>(const_cast<linear_buffer*>(this));
        return reinterpret_cast<T*>(bytes + offset()) + i;
    }

    [[nodiscard]] T* data() const noexcept { return std::launder(place(0)); }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data()[i]; }

    // Effects: there are that many elements. Requires: they have been constructed, and others destroyed.
    void set_size(std::size_t size) noexcept { size_ = size; }

    [[nodiscard]] std::array<std::span<const T>, 1> parts() const noexcept { return {{{data(), size_}}}; }

    // Returns: what is traced.
    [[nodiscard]] std::array<std::span<const T>, 1> traced_parts() const noexcept {
        return {{{data(), has_fixed_slots ? capacity_ : size_}}};
    }

    // Effects: destroys the last elements. Requires: size <= size(). A destructor finds none that is destroyed.
    void truncate(std::size_t size) noexcept {
        if constexpr (!std::is_trivially_destructible_v<T>) {
            while (size_ != size) data()[--size_].~T();
        } else if constexpr (has_fixed_slots) {
            while (size_ != size) data()[--size_] = nullptr;
        }
        size_ = size;
    }

    void destroy_elements() noexcept { truncate(0); }

private:
    std::size_t size_ = 0;
    std::size_t capacity_;
};

template <class T>
class ring_buffer {
public:
    using value_type = T;

    static constexpr const char* name = pointer_name<"traced_", "deque", T>;

    static constexpr bool has_fixed_slots = is_traced_pointer<T>;

    explicit ring_buffer(std::size_t capacity) noexcept : capacity_(capacity) {
        if constexpr (has_fixed_slots) std::memset(static_cast<void*>(memory()), 0, capacity * sizeof(T));
    }
    ring_buffer(const ring_buffer&) = delete;
    ring_buffer& operator=(const ring_buffer&) = delete;
    ~ring_buffer() {}  // NOLINT(modernize-use-equals-default): as that of linear_buffer

    [[nodiscard]] static constexpr std::size_t offset() noexcept {
        return detail::round_up(sizeof(ring_buffer), alignof(T));
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

    // Returns: the place of the element before which there are `i`, constructed or not. Requires: i < capacity().
    [[nodiscard]] T* place(std::size_t i) const noexcept {
        const std::size_t to_end = capacity_ - first_;
        return memory() + (i < to_end ? first_ + i : i - to_end);
    }

    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return *std::launder(place(i)); }

    // Effects, Requires: as of linear_buffer.
    void set_size(std::size_t size) noexcept { size_ = size; }

    // Effects: the place before the first element is the first one's. Requires: it is, or will be, constructed; there
    // is capacity.
    void extend_front() noexcept {
        first_ = (first_ == 0 ? capacity_ : first_) - 1;
        ++size_;
    }

    // Effects: destroys the first element. Requires: size() != 0.
    void pop_front() noexcept {
        T& first = *std::launder(place(0));
        if (++first_ == capacity_) first_ = 0;
        --size_;
        if constexpr (has_fixed_slots) {
            first = nullptr;
        } else {
            first.~T();
        }
    }

    [[nodiscard]] std::array<std::span<const T>, 2> parts() const noexcept {
        const std::size_t to_end = capacity_ - first_;
        const std::size_t first = size_ < to_end ? size_ : to_end;
        return {{{std::launder(memory() + first_), first}, {std::launder(memory()), size_ - first}}};
    }

    [[nodiscard]] std::array<std::span<const T>, 2> traced_parts() const noexcept {
        if constexpr (!has_fixed_slots) return parts();
        return {{{std::launder(memory()), capacity_}, {}}};
    }

    // Effects, Requires: as of linear_buffer.
    void truncate(std::size_t size) noexcept {
        if constexpr (!std::is_trivially_destructible_v<T>) {
            while (size_ != size) std::launder(place(--size_))->~T();
        } else if constexpr (has_fixed_slots) {
            while (size_ != size) *place(--size_) = nullptr;
        }
        size_ = size;
    }

    void destroy_elements() noexcept { truncate(0); }

private:
    [[nodiscard]] T* memory() const noexcept {
        auto* const bytes = reinterpret_cast<std::byte*>(const_cast<ring_buffer*>(this));
        return reinterpret_cast<T*>(bytes + offset());
    }

    std::size_t size_ = 0;
    std::size_t capacity_;
    std::size_t first_ = 0;
};

}  // namespace freehold::detail

#pragma once
// traced_ptr<T>: a pointer from one object of a traced heap to another.
//
//     struct node {
//         int value;
//         freehold::traced_ptr<node> next;                       // one word; cycles are collected
//         std::vector<freehold::traced_ptr<node>> neighbors;    // containers are traced
//     };
//
// It is for members of objects that heap.make made, and of what these hold by value or in containers: `trace`
// (trace.hpp) must find it there. In a variable or in a static object it keeps nothing alive; use a traced_local or a
// traced_root. It points only to objects of the heap that it is in.
//
// Thread safety: that of its heap, which belongs to one thread. Exceptions: none. Complexity: constant.
// Cost: one word. A copy or an assignment checks one byte, the card of the traced_ptr (detail/write_barrier.hpp); an
// aggregate that heap.make builds from handles checks none. In the buffer of a vector or in a variable it also checks
// the mark of the object that it points to, which may then live until the next full collection.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "../tracing/trace.hpp"
#include "detail/traced_handle.hpp"
#include "detail/write_barrier.hpp"

namespace freehold {

namespace detail {

// What a traced_ptr in a new object is made from. No store into such an object needs to be remembered: it is traced if
// it is reachable.
template <class T>
struct first_target {
    T* object;
    const void* cell;  // the new object is in these bytes
    std::size_t bytes;

    // Known at compile time where the constructor is inline.
    [[nodiscard]] bool is_for(const void* slot) const noexcept {
        return std::bit_cast<std::uintptr_t>(slot) - std::bit_cast<std::uintptr_t>(cell) < bytes;
    }
};

}  // namespace detail

template <class T>
class traced_ptr : public detail::traced_handle<traced_ptr<T>, T> {
public:
    using element_type = T;

    // Postconditions: get() == nullptr.
    constexpr traced_ptr() noexcept = default;
    constexpr traced_ptr(std::nullptr_t) noexcept {}

    // Functions that store a pointer are always inline, as record_store is.

    // Effects: points to what the other handle points to. A move is a copy.
    template <class Handle>
        requires detail::traced_handle_to<Handle, T>
    [[gnu::always_inline]] traced_ptr(const Handle& other) noexcept : object_(other.get()) {
        detail::record_store(this, object_);
    }

    [[gnu::always_inline]] traced_ptr(const traced_ptr& other) noexcept : object_(other.object_) {
        detail::record_store(this, object_);
    }

    // For traced_heap::make.
    template <class U>
        requires std::convertible_to<U*, T*>
    [[gnu::always_inline]] traced_ptr(const detail::first_target<U>& first) noexcept : object_(first.object) {
        if (!first.is_for(this)) detail::record_store(this, object_);
    }

    [[gnu::always_inline]] traced_ptr& operator=(const traced_ptr& other) noexcept {
        object_ = other.object_;
        detail::record_store(this, object_);
        return *this;
    }

    template <class Handle>
        requires detail::traced_handle_to<Handle, T>
    [[gnu::always_inline]] traced_ptr& operator=(const Handle& other) noexcept {
        object_ = other.get();
        detail::record_store(this, object_);
        return *this;
    }

    traced_ptr& operator=(std::nullptr_t) noexcept {
        object_ = nullptr;
        return *this;
    }

    ~traced_ptr() = default;

    [[nodiscard]] T* get() const noexcept { return object_; }

private:
    T* object_ = nullptr;
};

template <class T>
inline constexpr bool is_traced_pointer<traced_ptr<T>> = true;
template <class T>
inline constexpr bool needs_its_collector<traced_ptr<T>> = true;

}  // namespace freehold

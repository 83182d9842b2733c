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
// Cost: one word. A copy or an assignment checks one byte, the card of the traced_ptr (detail/write_barrier.hpp). In
// the buffer of a vector or in a variable it also checks the mark of the object that it points to, which may then live
// until the next full collection.

#include <cstddef>

#include "../tracing/trace.hpp"
#include "detail/traced_handle.hpp"
#include "detail/write_barrier.hpp"

namespace freehold {

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

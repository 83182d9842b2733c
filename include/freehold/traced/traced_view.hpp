#pragma once
// traced_view<T>: a pointer to an object of a traced heap that something else keeps alive.
//
//     int length(freehold::traced_view<const node> list);     // takes a traced_local, a traced_ptr, a traced_root
//
// It is for parameters, and for results that are stored or rooted at once. It is not a root: if the heap allocates in
// between, another handle must keep the object alive. AddressSanitizer finds where none does, in a heap that collects
// at every allocation (traced_heap_options).
//
// Thread safety: that of a raw pointer. Exceptions: none. Complexity: constant. Cost: that of a raw pointer.

#include <concepts>
#include <cstddef>

#include "detail/traced_handle.hpp"

namespace freehold::inline v0_2 {

template <class T>
class traced_view : public detail::traced_handle<traced_view<T>, T> {
public:
    using element_type = T;

    // Postconditions: get() == nullptr.
    constexpr traced_view() noexcept = default;
    constexpr traced_view(std::nullptr_t) noexcept {}

    // Effects: points to what the handle points to. A temporary handle gives no warning: most of them are in the heap.
    template <class Handle>
        requires detail::traced_handle_to<Handle, T>
    constexpr traced_view(const Handle& other) noexcept : object_(other.get()) {}

    // Effects: points to the object, `*this` in a member function for instance.
    // Requires: null, or an object of a traced heap.
    template <class U>
        requires std::convertible_to<U*, T*>
    constexpr explicit traced_view(U* object) noexcept : object_(object) {}

    [[nodiscard]] constexpr T* get() const noexcept { return object_; }

private:
    T* object_ = nullptr;
};

template <class T>
traced_view(T*) -> traced_view<T>;

}  // namespace freehold

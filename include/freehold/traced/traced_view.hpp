#pragma once
// traced_view<T>: a look at an object of a traced heap that somebody else keeps alive.
//
//     int length(freehold::traced_view<const node> list);     // takes a local, a traced_ptr, a persistent
//
// It is for parameters, and for results that are stored or rooted at once. It is no root: where an allocation comes
// between, somebody else must hold the object. Under AddressSanitizer, a heap that collects at every allocation
// (traced_heap_options) shows where nobody does.
//
// Thread safety: that of a raw pointer. Exceptions: none. Complexity: constant. Cost: that of a raw pointer.

#include <concepts>
#include <cstddef>

#include "detail/traced_handle.hpp"

namespace freehold {

template <class T>
class traced_view : public detail::traced_handle<traced_view<T>, T> {
public:
    using element_type = T;

    // Postconditions: get() == nullptr.
    constexpr traced_view() noexcept = default;
    constexpr traced_view(std::nullptr_t) noexcept {}

    // Effects: borrows what `owner` points to. There is no warning of a temporary owner: most of these are in the heap.
    template <class Handle>
        requires detail::traced_handle_to<Handle, T>
    constexpr traced_view(const Handle& owner) noexcept : object_(owner.get()) {}

    // Effects: borrows an object of a traced heap, `*this` in a member function say.
    // Requires: it is in a traced heap, or null.
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

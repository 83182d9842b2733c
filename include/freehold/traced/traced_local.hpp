#pragma once
// traced_local<T>: a variable on the stack that keeps an object of a traced heap alive.
//
//     freehold::traced_local<node> first = heap.make<node>(1);
//     freehold::traced_local<node> second = heap.make<node>(2, first);     // a collection here leaves `first` alone
//
// Thread safety: that of its heap, which belongs to one thread at a time. Exceptions: none.
// Complexity: constant; they may be destroyed in any order. A collection reads the stack of the thread for them.
// Cost: three words, and no allocation. On the stack, two stores and a comparison to construct, a comparison and a
// store to destroy. Elsewhere, as in a container, it is in a list of the thread.

#include <cstddef>
#include <type_traits>

#include "detail/local_roots.hpp"
#include "detail/traced_handle.hpp"

namespace freehold::inline v0_2 {

template <class T>
class traced_local : public detail::traced_handle<traced_local<T>, T> {
public:
    using element_type = T;

    // Postconditions: get() == nullptr.
    traced_local() noexcept : traced_local(nullptr) {}
    traced_local(std::nullptr_t) noexcept : root_(nullptr) {}

    // Effects: keeps alive what the other handle points to.
    template <class Handle>
        requires detail::traced_handle_to<Handle, T>
    traced_local(const Handle& other) noexcept : root_(static_cast<T*>(other.get())) {}

    traced_local(const traced_local& other) noexcept : root_(other.root_.get()) {}

    traced_local& operator=(const traced_local& other) noexcept {
        root_.set(other.root_.get());
        return *this;
    }

    template <class Handle>
        requires detail::traced_handle_to<Handle, T>
    traced_local& operator=(const Handle& other) noexcept {
        root_.set(static_cast<T*>(other.get()));
        return *this;
    }

    traced_local& operator=(std::nullptr_t) noexcept {
        root_.set(nullptr);
        return *this;
    }

    // It is for variables. A traced_root may be anywhere.
    static void* operator new(std::size_t) = delete;
    static void* operator new[](std::size_t) = delete;

    // Returns: the object; a null pointer once the heap is destroyed.
    [[nodiscard]] T* get() const noexcept { return static_cast<T*>(const_cast<void*>(root_.get())); }

private:
    detail::local_root root_;
};

}  // namespace freehold

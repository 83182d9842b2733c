#pragma once
// traced_ptr<T>: a pointer from an object of a traced heap to another, which lives as long as it can be reached.
//
//     struct node {
//         int value;
//         freehold::traced_ptr<node> next;                       // one word; cycles are no trouble
//         std::vector<freehold::traced_ptr<node>> neighbours;    // containers are looked into
//     };
//
// It is for members, of objects that heap.make made and of what these hold by value or in containers: `trace`
// (trace.hpp) must find it there. On the stack or in a static object it keeps nothing alive: that is what local and
// persistent are for. All objects that lead to each other are in one heap.
//
// Thread safety: that of its heap, which belongs to one thread. Exceptions: none. Complexity: constant.
// Cost: one word. Copying and assigning looks at a byte that tells whether collections know of stores there; elsewhere
// than in an object itself (in the buffer of a vector, in a variable) it also looks at the object's mark, and what is
// stored may stay until the next full collection.

#include <cstddef>

#include "../tracing/trace.hpp"
#include "detail/traced_handle.hpp"
#include "detail/traced_store.hpp"

namespace freehold {

template <class T>
class traced_ptr : public detail::traced_handle<traced_ptr<T>, T> {
public:
    using element_type = T;

    // Postconditions: get() == nullptr.
    constexpr traced_ptr() noexcept = default;
    constexpr traced_ptr(std::nullptr_t) noexcept {}

    // What stores is always inline, like record_store.

    // Effects: points to what any other handle does. A copy; there is no cheaper move.
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

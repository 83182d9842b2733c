#pragma once
// traced_weak_ptr<T>: a look at an object of a traced heap that is empty once nothing else leads to it.
//
// It may be anywhere, in objects of the heap too. It is cleared by the collection that finds the object unreachable,
// before the object's finalizer runs: what a finalizer saves has no weak pointer left.
//
// Thread safety: that of its heap, which belongs to one thread. Exceptions: none. Complexity: constant.
// Cost: three words, in a list of the heap, and no allocation. A young collection looks at those that were set since
// the last one. The objects it is a member of have a destructor, and have to be swept.

#include <cstddef>

#include "../tracing/trace.hpp"
#include "detail/traced_handle.hpp"
#include "detail/traced_store.hpp"
#include "traced_local.hpp"
#include "traced_view.hpp"

namespace freehold {

template <class T>
class traced_weak_ptr {
public:
    using element_type = T;

    // Postconditions: expired().
    traced_weak_ptr() noexcept = default;

    // Effects: looks at what the handle points to.
    template <class Handle>
        requires detail::traced_handle_to<Handle, T>
    traced_weak_ptr(const Handle& other) noexcept {
        set(other.get());
    }

    traced_weak_ptr(const traced_weak_ptr& other) noexcept : traced_weak_ptr() { set(other.object()); }

    traced_weak_ptr& operator=(const traced_weak_ptr& other) noexcept {
        set(other.object());
        return *this;
    }

    ~traced_weak_ptr() = default;

    void reset() noexcept { set(nullptr); }

    [[nodiscard]] bool expired() const noexcept { return handle_.object == nullptr; }

    // Returns: the object, which is kept alive so; or an empty local if it is gone.
    [[nodiscard]] traced_local<T> lock() const noexcept { return traced_view<T>(object()); }

private:
    [[nodiscard]] T* object() const noexcept { return static_cast<T*>(const_cast<void*>(handle_.object)); }

    void set(T* object) noexcept {
        handle_.object = object;
        if (object == nullptr) return handle_.unlist();
        handle_.list(detail::traced_store::of(object).young_weak_handles);
    }

    detail::listed_handle handle_;
};

template <class T>
inline constexpr bool is_untraced<traced_weak_ptr<T>> = true;

}  // namespace freehold

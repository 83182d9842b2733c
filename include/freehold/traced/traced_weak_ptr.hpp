#pragma once
// traced_weak_ptr<T>: a pointer that keeps nothing alive, and becomes empty when its object can no longer be reached.
//
// It may be anywhere, in objects of the heap too. The collection that finds the object unreachable clears it, before
// the object's finalizer runs: an object that a finalizer saves has no weak pointers any more.
//
// Thread safety: that of its heap, which belongs to one thread at a time. Exceptions: none. Complexity: constant.
// Cost: three words, in a list of the heap, and no allocation. A young collection looks at those that were set since
// the last collection. An object that has one as a member has a destructor, and is swept.

#include <cstddef>

#include "../core/type_name.hpp"
#include "../tracing/trace.hpp"
#include "detail/heap_checks.hpp"
#include "detail/traced_handle.hpp"
#include "detail/write_barrier.hpp"
#include "traced_local.hpp"
#include "traced_view.hpp"

namespace freehold::inline v0_2 {

template <class T>
class traced_weak_ptr {
public:
    using element_type = T;

    // Postconditions: expired().
    traced_weak_ptr() noexcept = default;

    // Effects: refers to what the handle points to.
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

    void reset() noexcept { set(nullptr); }

    [[nodiscard]] bool expired() const noexcept { return handle_.object == nullptr; }

    // Returns: a root of the object, or an empty one if the object is gone.
    [[nodiscard]] traced_local<T> lock() const noexcept {
        check_alive(object());
        return traced_view<T>(object());
    }

private:
    [[nodiscard]] T* object() const noexcept { return static_cast<T*>(const_cast<void*>(handle_.object)); }

    static void check_alive(const T* object) noexcept {
        if constexpr (detail::heap_checks::is_on)
            detail::heap_checks::check_object(object, detail::type_name<traced_weak_ptr>);
    }

    void set(T* object) noexcept {
        check_alive(object);
        detail::traced_space::list(handle_, object, &detail::listed_handles::weak);
    }

    detail::listed_handle handle_;
};

template <class T>
inline constexpr bool is_untraced<traced_weak_ptr<T>> = true;

}  // namespace freehold

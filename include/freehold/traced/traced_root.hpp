#pragma once
// traced_root<T>: a handle of any lifetime, anywhere, that keeps an object of a traced heap alive.
//
// It is for static objects, and for members of objects that are not in the heap. In an object of the heap it would keep
// what it points to alive for good; hold a traced_ptr there.
//
// When the heap is destroyed, so are its objects, and every traced_root to one becomes empty. Dereferencing it then is
// checked like any null pointer.
//
// Thread safety: that of its heap, which belongs to one thread at a time. Exceptions: none. Complexity: constant.
// Cost: three words, in a list of the heap; no allocation. A young collection looks at those that were set since the
// last collection. Many of them are cheaper in a traced_root_vector.

#include <cstddef>

#include "../core/type_name.hpp"
#include "../tracing/trace.hpp"
#include "detail/heap_checks.hpp"
#include "detail/traced_handle.hpp"
#include "detail/write_barrier.hpp"

namespace freehold::inline v0_2 {

template <class T>
class traced_root : public detail::traced_handle<traced_root<T>, T> {
public:
    using element_type = T;

    // Postconditions: get() == nullptr.
    traced_root() noexcept = default;
    traced_root(std::nullptr_t) noexcept {}

    // Effects: keeps alive what the other handle points to.
    template <class Handle>
        requires detail::traced_handle_to<Handle, T>
    traced_root(const Handle& other) noexcept {
        set(other.get());
    }

    traced_root(const traced_root& other) noexcept : traced_root() { set(other.get()); }

    traced_root& operator=(const traced_root& other) noexcept {
        set(other.get());
        return *this;
    }

    template <class Handle>
        requires detail::traced_handle_to<Handle, T>
    traced_root& operator=(const Handle& other) noexcept {
        set(other.get());
        return *this;
    }

    void reset() noexcept { set(nullptr); }

    // Returns: the object; a null pointer once the heap is destroyed.
    [[nodiscard]] T* get() const noexcept { return static_cast<T*>(const_cast<void*>(handle_.object)); }

private:
    void set(T* object) noexcept {
        if constexpr (detail::heap_checks::is_on)
            detail::heap_checks::check_object(object, detail::type_name<traced_root>);
        detail::traced_space::list(handle_, object, &detail::listed_handles::roots);
    }

    detail::listed_handle handle_;
};

// A root leads nowhere: collections start from it.
template <class T>
inline constexpr bool is_untraced<traced_root<T>> = true;

}  // namespace freehold

#pragma once
// parent_ptr<T>: a link back to the object that owns this one, which neither owns nor is followed by a collection.
//
//     struct node {
//         std::vector<freehold::cyclic_ptr<node>> children;
//         freehold::parent_ptr<node> parent;
//     };
//
// With owning links to parents a tree is one large cycle: what is cut off from it waits for a collection, which may
// have to go through all of it. With parent_ptr it is destroyed at once, as in any tree.
//
// The link must not be used after the parent is gone: it dangles, like a raw pointer. Without NDEBUG each use checks
// that. If something else may own a child, call reset() where the child is taken out of its parent; or use a
// cyclic_weak_ptr, which expires by itself, and costs an entry in a table for each parent.
//
// Thread safety: that of cyclic_ptr; not for objects of a cyclic_heap. Exceptions: none. Complexity: constant.
// Cost: one word and what a raw pointer costs. Without NDEBUG, an entry in a table for each link.

#include <compare>
#include <cstddef>
#include <type_traits>

#include "../core/assert.hpp"
#include "../core/handle.hpp"
#include "../core/type_name.hpp"
#include "../tracing/trace.hpp"
#include "cyclic_cast.hpp"
#include "cyclic_ptr.hpp"
#include "detail/parent_watch.hpp"
#include "detail/thread_domain.hpp"

namespace freehold::inline v0_2 {

template <class T>
class parent_ptr {
public:
    using element_type = T;

    // Postconditions: get() == nullptr.
    constexpr parent_ptr() noexcept = default;
    constexpr parent_ptr(std::nullptr_t) noexcept {}

    // Effects: refers to the object of `parent`, if any.
    template <class U>
        requires(std::is_same_v<U, T> || detail::owned_as<U, T>)
    parent_ptr(const cyclic_ptr<U, thread_domain>& parent) noexcept : pointer_(parent.get()) {
        watch(pointer_);
    }

    // Effects: refers to the same object. Requires: it is not gone.
    parent_ptr(const parent_ptr& other) noexcept : pointer_(other.get()) { watch(pointer_); }

    parent_ptr& operator=(const parent_ptr& other) noexcept {
        pointer_ = other.get();
        watch(pointer_);
        return *this;
    }

#ifndef NDEBUG
    ~parent_ptr() { watch(nullptr); }
#endif

    // Effects: refers to no object. Postconditions: get() == nullptr.
    void reset() noexcept {
        pointer_ = nullptr;
        watch(nullptr);
    }

    // Returns: the object; null if there is none. Requires: it is not gone.
    [[nodiscard]] T* get() const noexcept {
        FREEHOLD_EXPECTS(!detail::parent_watch::is_gone(this), "the parent is gone: reset() a link that outlives it",
                         detail::type_name<T>);
        return pointer_;
    }

    // Returns: an owner of the object; an empty pointer if there is none. Requires: the object is not gone. So unlike
    // cyclic_weak_ptr::lock() it does not find that out.
    [[nodiscard]] cyclic_ptr<T> lock() const noexcept {
        T* const object = get();
        return object != nullptr ? freehold::cyclic_from_this(object) : nullptr;
    }

    // Requires: get() != nullptr.
    [[nodiscard]] T& operator*() const noexcept { return *operator->(); }

    [[nodiscard]] T* operator->() const noexcept {
        FREEHOLD_EXPECTS(pointer_ != nullptr, "a null pointer is dereferenced", detail::type_name<T>);
        return get();
    }

    [[nodiscard]] explicit operator bool() const noexcept { return get() != nullptr; }

private:
    void watch(const volatile void* object) const noexcept { detail::parent_watch::set(this, object); }

    T* pointer_ = nullptr;
};

template <class T>
inline constexpr bool is_untraced<parent_ptr<T>> = true;

// Comparisons are those of the stored pointers.

template <class T, class U>
[[nodiscard]] bool operator==(const parent_ptr<T>& a, const parent_ptr<U>& b) noexcept {
    return a.get() == b.get();
}

template <class T, class U>
[[nodiscard]] bool operator==(const parent_ptr<T>& a, const cyclic_ptr<U>& b) noexcept {
    return a.get() == b.get();
}

template <class T>
[[nodiscard]] bool operator==(const parent_ptr<T>& a, std::nullptr_t) noexcept {
    return a.get() == nullptr;
}

template <class T, class U>
[[nodiscard]] std::strong_ordering operator<=>(const parent_ptr<T>& a, const parent_ptr<U>& b) noexcept {
    return detail::compare_pointers(a.get(), b.get());
}

}  // namespace freehold

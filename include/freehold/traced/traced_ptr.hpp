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
// Thread safety: that of its heap; in a shared_traced_heap, that of a variable. Exceptions: none. Complexity: constant.
// Cost: one word. A copy or an assignment reads one byte, the card of the traced_ptr, if that is within the same 4 MiB
// as its target (detail/write_barrier.hpp). Otherwise it is a call that reads the target's mark. From the buffer of a
// vector or a variable, a young target may then live until the next full collection. An aggregate that heap.make builds
// from handles reads nothing.

#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../core/config.hpp"
#include "../core/platform/atomic_ref.hpp"
#include "../core/type_name.hpp"
#include "../tracing/trace.hpp"
#include "detail/constructed_members.hpp"
#include "detail/heap_checks.hpp"
#include "detail/traced_handle.hpp"
#include "detail/write_barrier.hpp"

namespace freehold::inline v0_2 {

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
#ifdef NDEBUG
    constexpr traced_ptr() noexcept = default;
#else
    constexpr traced_ptr() noexcept { note(); }
#endif
    constexpr traced_ptr(std::nullptr_t) noexcept { note(); }

    // Functions that store a pointer are always inline, as record_store is.

    // Effects: points to what the other handle points to. A move is a copy.
    template <class Handle>
        requires detail::traced_handle_to<Handle, T>
    FREEHOLD_ALWAYS_INLINE traced_ptr(const Handle& other) noexcept : object_(other.get()) {
        note();
        record_store();
    }

    FREEHOLD_ALWAYS_INLINE traced_ptr(const traced_ptr& other) noexcept : object_(other.get()) {
        note();
        record_store();
    }

    // For traced_heap::make.
    template <class U>
        requires std::convertible_to<U*, T*>
    FREEHOLD_ALWAYS_INLINE traced_ptr(const detail::first_target<U>& first) noexcept : object_(first.object) {
        note();
        if constexpr (detail::heap_checks::is_on)
            detail::heap_checks::check_store(this, object_, detail::type_name<traced_ptr>);
        if (!first.is_for(this)) record_store();
    }

    FREEHOLD_ALWAYS_INLINE traced_ptr& operator=(const traced_ptr& other) noexcept {
        store(other.get());
        return *this;
    }

    template <class Handle>
        requires detail::traced_handle_to<Handle, T>
    FREEHOLD_ALWAYS_INLINE traced_ptr& operator=(const Handle& other) noexcept {
        store(other.get());
        return *this;
    }

    traced_ptr& operator=(std::nullptr_t) noexcept {
        detail::atomic_ref(object_).store(nullptr, std::memory_order_relaxed);  // as in store()
        return *this;
    }

    [[nodiscard]] T* get() const noexcept {
        if constexpr (detail::heap_checks::is_on) {
            if (object_ != nullptr) detail::heap_checks::check_slot(this, object_, detail::type_name<traced_ptr>);
        }
        return object_;
    }

private:
    friend detail::traced_marker;

    // relaxed, both: the helper of the heap may read the pointer at any time, to objects that it has seen before. What
    // is younger, and blocks that are, it finds after a handshake. One thread at a time stores, and need not load.
    FREEHOLD_ALWAYS_INLINE void store(T* object) noexcept {
        detail::atomic_ref(object_).store(object, std::memory_order_relaxed);
        detail::record_store(this, object, detail::type_name<traced_ptr>);
    }
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE const void* target() const noexcept {
        return detail::atomic_ref(const_cast<T*&>(object_)).load(std::memory_order_relaxed);
    }

    FREEHOLD_ALWAYS_INLINE void record_store() const noexcept {
        detail::record_store(this, object_, detail::type_name<traced_ptr>);
    }

    // Effects: none with NDEBUG; see detail::constructed_members.
    constexpr void note() const noexcept {
        if constexpr (detail::heap_checks::is_on) {
            if (!std::is_constant_evaluated()) detail::constructed_members::note(this);
        }
    }

    T* object_ = nullptr;
};

template <class T>
inline constexpr bool is_traced_pointer<traced_ptr<T>> = true;
template <class T>
inline constexpr bool needs_its_collector<traced_ptr<T>> = true;

}  // namespace freehold

// By the address, which never changes. Any handle is hashed as a traced_ptr to the same object.
template <class T>
struct std::hash<freehold::traced_ptr<T>> {
    template <class Handle>
        requires freehold::detail::traced_handle_to<Handle, const T>
    [[nodiscard]] std::size_t operator()(const Handle& handle) const noexcept {
        return std::hash<const T*>()(handle.get());
    }
};

#pragma once
// shared_memory::shared_ptr, weak_ptr, pool: shared ownership of objects in memory that several processes map, each at
// an address of its own, as in a segment of Boost.Interprocess. (N1851 asks for allocators with such pointers in mind.)
//
//     namespace shm = freehold::shared_memory;
//     managed_shared_memory segment(create_only, "name", 1 << 20);
//     shm::pool& pool = *segment.construct<shm::pool>("pool")(segment, 1 << 19);
//     auto& root = *segment.construct<shm::shared_ptr<config>>("root")(shm::make_shared<config>(pool));
//     // in another process
//     managed_shared_memory segment(open_only, "name");
//     const shm::shared_ptr<config> mine = *segment.find<shm::shared_ptr<config>>("root").first;
//
// A handle is a distance, not an address. It may lie in the segment of its object, where all processes may use it, or
// outside of it, as on the stack: then only the process that made it may. A copy, a move or an assignment is right in
// either place; a copy of its bytes is not, which is also what a child of fork has.
//
// A process may be killed at any instruction. The others go on: nothing waits for another process, no count and no list
// of free blocks is ever half changed. What is lost is the memory of
//   - the objects that it owned, and of the blocks that its weak pointers kept: their counts are not taken back,
//     also where those handles were in objects whose destructor it ran;
//   - the block that it was taking from the pool or giving back, and one more for each object that it was constructing
//     or destroying then.
// It comes back when the pool is destroyed. The lock of Boost's segment is different: a process that is killed while it
// constructs or finds a named object blocks all others there for ever. So the pool takes all of its memory when it is
// constructed, and no handle uses that lock.
//
// All processes must be built with one layout of T and one version of Freehold.
//
// Thread safety: that of freehold::shared_ptr, for threads of any processes: one handle may be used by one at a time.
// Exceptions: make_shared throws; nothing else does, if T's destructor does not. Complexity: constant, lock-free.
// Cost: a handle is 8 bytes, a block 16 bytes and the object, rounded up to 16, and from 128 bytes on by at most a
// quarter. A copy is one locked operation. Making an object and destroying it takes four.

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "../core/assert.hpp"
#include "../core/handle.hpp"
#include "detail/shared_pool.hpp"

namespace freehold::inline v0_2 {

namespace shared_memory {

template <class T>
class weak_ptr;

template <class T>
class shared_ptr : public detail::shared_handle {
    using object = detail::shared_object<std::remove_const_t<T>>;

public:
    using element_type = T;
    using weak_type = weak_ptr<T>;

    // Postconditions: *this is empty.
    constexpr shared_ptr() noexcept = default;
    constexpr shared_ptr(std::nullptr_t) noexcept {}

    // Effects: shares with `other`, which may be a handle to a T that is not const. No other types convert: the last
    // owner, which may be of either type, destroys the object as its own type.
    shared_ptr(const shared_ptr& other) noexcept : shared_ptr(copied(other.block())) {}
    template <class Y>
        requires std::same_as<const Y, T>
    shared_ptr(const shared_ptr<Y>& other) noexcept : shared_ptr(copied(other.block())) {}

    // Effects: takes over what `other` owned and leaves it empty.
    shared_ptr(shared_ptr&& other) noexcept : shared_ptr(other.take()) {}
    template <class Y>
        requires std::same_as<const Y, T>
    shared_ptr(shared_ptr<Y>&& other) noexcept : shared_ptr(other.take()) {}

    // Effects: releases ownership; the last owner destroys the object.
    ~shared_ptr() {
        if (detail::segment_block* const owned = take()) object::release(owned);
    }

    // Effects: owns what `other` owns. A process that is killed meanwhile leaves the old value or the new one.
    shared_ptr& operator=(shared_ptr other) noexcept {
        replace(other);
        return *this;
    }

    void swap(shared_ptr& other) noexcept { shared_handle::swap(other); }

    // Postconditions: *this is empty.
    void reset() noexcept { *this = shared_ptr(); }

    // Returns: where this process maps the object, or null.
    [[nodiscard]] T* get() const noexcept {
        detail::segment_block* const owned = block();
        return owned != nullptr ? object::in(owned) : nullptr;
    }

    // Requires: get() != nullptr.
    [[nodiscard]] T& operator*() const noexcept { return *operator->(); }
    [[nodiscard]] T* operator->() const noexcept {
        T* const pointer = get();
        FREEHOLD_EXPECTS(pointer != nullptr, "a null pointer is dereferenced", "freehold::shared_memory::shared_ptr");
        return pointer;
    }

    [[nodiscard]] explicit operator bool() const noexcept { return get() != nullptr; }

private:
    template <class>
    friend class shared_ptr;
    template <class>
    friend class weak_ptr;
    template <class Y, class... Arguments>
    friend shared_ptr<Y> make_shared(pool&, Arguments&&...);

    explicit shared_ptr(detail::segment_block* owned) noexcept : shared_handle(owned) {}

    [[nodiscard]] static detail::segment_block* copied(detail::segment_block* owned) noexcept {
        if (owned != nullptr) owned->count.acquire();
        return owned;
    }
};

template <class T>
class weak_ptr : public detail::shared_handle {
    using object = detail::shared_object<std::remove_const_t<T>>;

public:
    using element_type = T;

    // Postconditions: *this is empty.
    constexpr weak_ptr() noexcept = default;

    // Effects: refers to what `other` owns or refers to; conversions are those of shared_ptr.
    weak_ptr(const weak_ptr& other) noexcept : weak_ptr(copied(other.block())) {}
    template <template <class> class Handle, class Y>
        requires((std::same_as<Handle<Y>, shared_ptr<Y>> || std::same_as<Handle<Y>, weak_ptr<Y>>) &&
                 (std::same_as<Y, T> || std::same_as<const Y, T>))
    weak_ptr(const Handle<Y>& other) noexcept : weak_ptr(copied(other.block())) {}

    weak_ptr(weak_ptr&& other) noexcept : weak_ptr(other.take()) {}

    ~weak_ptr() {
        if (detail::segment_block* const owned = take()) object::release_weak(owned);
    }

    weak_ptr& operator=(weak_ptr other) noexcept {
        replace(other);
        return *this;
    }

    void swap(weak_ptr& other) noexcept { shared_handle::swap(other); }

    // Postconditions: *this is empty.
    void reset() noexcept { *this = weak_ptr(); }

    // Returns: an owner of the object, or an empty shared_ptr if it has no owner; decided atomically.
    [[nodiscard]] shared_ptr<T> lock() const noexcept {
        detail::segment_block* const seen = block();
        return seen != nullptr && seen->count.try_acquire() ? shared_ptr<T>(seen) : shared_ptr<T>();
    }

    // Returns: use_count() == 0.
    [[nodiscard]] bool expired() const noexcept { return use_count() == 0; }

private:
    template <class>
    friend class shared_ptr;
    template <class>
    friend class weak_ptr;

    explicit weak_ptr(detail::segment_block* counted) noexcept : shared_handle(counted) {}

    [[nodiscard]] static detail::segment_block* copied(detail::segment_block* counted) noexcept {
        if (counted != nullptr) counted->count.acquire_weak();
        return counted;
    }
};

// Effects: constructs T(arguments...) in the pool. Returns: its owner.
// Throws: std::bad_alloc if the pool has no block, or what the constructor throws; then nothing has changed.
template <class T, class... Arguments>
[[nodiscard]] shared_ptr<T> make_shared(pool& pool, Arguments&&... arguments) {
    return shared_ptr<T>(
        detail::shared_object<std::remove_const_t<T>>::make(pool, std::forward<Arguments>(arguments)...));
}

// Comparisons, swap, << and the hash are those of the stored pointers, in this process.
using freehold::operator==;
using freehold::operator<=>;
using freehold::operator<<;
using freehold::swap;

}  // namespace shared_memory

template <>
inline constexpr bool detail::is_handle<shared_memory::shared_ptr> = true;

}  // namespace freehold

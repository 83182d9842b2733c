#pragma once
// atomic_load, atomic_store and their kin: functions by which several threads read and write one shared_ptr
// ([depr.util.smartptr.shared.atomic]).
//
// For programs that have them: the standard deprecates its own, since nothing keeps a thread from touching the
// shared_ptr without them. atomic_shared_ptr.hpp has the type that replaces them.
//
// Thread safety: any thread may call any function at any time, as long as all use the shared_ptr through these alone.
// Exceptions: none. Complexity: constant. Cost: a shared_ptr has no room for a latch, so one of 16 is found by its
// address; two locked operations for a load. Never lock-free. What was owned is released when the latch is open again.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "detail/latched_pointer.hpp"
#include "shared_ptr.hpp"

namespace freehold {

namespace detail {

// A latch alone in its cache line.
struct alignas(64) lone_latch {
    std::atomic<std::uint32_t> state = 0;
};

inline constinit std::array<lone_latch, 16> latches{};

// Returns: the state of the latch that guards what stands at `address`.
inline std::atomic<std::uint32_t>& latch_of(const void* address) noexcept {
    // A shared_ptr is two words, so its neighbours differ above the lowest four bits.
    return latches[(std::hash<const void*>()(address) >> 4) % latches.size()].state;
}

}  // namespace detail

// Returns: false.
template <class T>
[[nodiscard]] bool atomic_is_lock_free(const shared_ptr<T>*) noexcept {
    return false;
}

// Whatever order is asked for, memory_order_seq_cst is given: the latch needs nearly as much.
// Requires of all below: pointer != nullptr, and expected != nullptr.

// Returns: *pointer.
template <class T>
[[nodiscard]] shared_ptr<T> atomic_load_explicit(const shared_ptr<T>* pointer, std::memory_order) noexcept {
    return detail::load_latched(detail::latch_of(pointer), *pointer);
}

template <class T>
[[nodiscard]] shared_ptr<T> atomic_load(const shared_ptr<T>* pointer) noexcept {
    return freehold::atomic_load_explicit(pointer, std::memory_order_seq_cst);
}

// Effects: replaces *pointer by `desired`. Returns: the value before.
template <class T>
shared_ptr<T> atomic_exchange_explicit(shared_ptr<T>* pointer, shared_ptr<T> desired, std::memory_order) noexcept {
    return detail::exchange_latched(detail::latch_of(pointer), *pointer, std::move(desired));
}

template <class T>
shared_ptr<T> atomic_exchange(shared_ptr<T>* pointer, shared_ptr<T> desired) noexcept {
    return freehold::atomic_exchange_explicit(pointer, std::move(desired), std::memory_order_seq_cst);
}

// Effects: replaces *pointer by `desired`.
template <class T>
void atomic_store_explicit(shared_ptr<T>* pointer, shared_ptr<T> desired, std::memory_order order) noexcept {
    (void)freehold::atomic_exchange_explicit(pointer, std::move(desired), order);
}

template <class T>
void atomic_store(shared_ptr<T>* pointer, shared_ptr<T> desired) noexcept {
    freehold::atomic_store_explicit(pointer, std::move(desired), std::memory_order_seq_cst);
}

// Effects: if *pointer is equivalent to *expected (the same pointer, and the same ownership), replaces it by `desired`,
// otherwise copies it into *expected. Returns: whether it was equivalent.
template <class T>
bool atomic_compare_exchange_strong_explicit(shared_ptr<T>* pointer, shared_ptr<T>* expected, shared_ptr<T> desired,
                                             std::memory_order, std::memory_order) noexcept {
    return detail::compare_exchange_latched(detail::latch_of(pointer), *pointer, *expected, std::move(desired));
}

template <class T>
bool atomic_compare_exchange_strong(shared_ptr<T>* pointer, shared_ptr<T>* expected, shared_ptr<T> desired) noexcept {
    return freehold::atomic_compare_exchange_strong_explicit(pointer, expected, std::move(desired),
                                                             std::memory_order_seq_cst, std::memory_order_seq_cst);
}

template <class T>
bool atomic_compare_exchange_weak_explicit(shared_ptr<T>* pointer, shared_ptr<T>* expected, shared_ptr<T> desired,
                                           std::memory_order success, std::memory_order failure) noexcept {
    return freehold::atomic_compare_exchange_strong_explicit(pointer, expected, std::move(desired), success, failure);
}

template <class T>
bool atomic_compare_exchange_weak(shared_ptr<T>* pointer, shared_ptr<T>* expected, shared_ptr<T> desired) noexcept {
    return freehold::atomic_compare_exchange_strong(pointer, expected, std::move(desired));
}

}  // namespace freehold

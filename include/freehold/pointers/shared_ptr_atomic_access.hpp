#pragma once
// atomic_load, atomic_store, ...: functions by which several threads read and write one shared_ptr
// ([depr.util.smartptr.shared.atomic]).
//
// For programs that use them already. The standard deprecates its own, as nothing keeps a thread from using the
// shared_ptr without them. atomic_shared_ptr.hpp has the type that replaces them.
//
// Thread safety: any thread may call any function at any time, as long as all use the shared_ptr through these alone.
// Exceptions: none. Complexity: constant. Cost: no memory: a bit in the pointer's own second word is the latch, so any
// part of a program finds it, whatever libraries it consists of. Two locked operations for a load. Never lock-free.
// What was owned is released when the latch is open again.

#include <atomic>
#include <cstdint>
#include <utility>

#include "../core/platform/threads.hpp"
#include "detail/access.hpp"
#include "shared_ptr.hpp"

namespace freehold::inline v0_2 {

namespace detail {

// The latch in the handle of a shared_ptr that several threads use. Its holder alone uses the pointer beside the
// handle, and the handle itself is used by latches alone.
class handle_latch {
public:
    using handle_type = block_handle<atomic_counting>;

    // Effects: waits until the latch is open, and closes it.
    explicit handle_latch(handle_type& handle) noexcept : word_(handle.word()) {
        std::uintptr_t& seen = value_.word();
        // relaxed: only compared
        seen = __atomic_load_n(&word_, __ATOMIC_RELAXED) & ~closed;
        // acquire: pairs with the release of open(): a holder sees what the previous holder wrote. As every operation
        // closes and opens the latch, each happens before the next, and all are in one order with what is seq_cst.
        while (!__atomic_compare_exchange_n(&word_, &seen, seen | closed, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            // The holder may be descheduled: yield instead of spinning.
            if ((seen & closed) != 0) detail::yield();
            seen &= ~closed;
        }
    }

    handle_latch(const handle_latch&) = delete;
    handle_latch& operator=(const handle_latch&) = delete;

    // Returns: what the handle is.
    [[nodiscard]] handle_type value() const noexcept { return value_; }

    // Effects: opens the latch of the handle, which is `next` from now on. To be called once, as the last.
    void open(handle_type next) noexcept {
        // release: pairs with the acquire of the constructor
        __atomic_store_n(&word_, next.word(), __ATOMIC_RELEASE);
    }

private:
    static constexpr std::uintptr_t closed = handle_type::latch_mark;

    std::uintptr_t& word_;
    handle_type value_;
};

// Returns: another owner of what the pointer owns. Effects: opens the latch.
template <class T>
[[nodiscard]] shared_ptr<T> share(shared_ptr<T>& pointer, handle_latch& held) noexcept {
    auto* const object = access::pointer_of(pointer);
    held.value().acquire();
    held.open(held.value());
    return access::adopt<T>(object, held.value());
}

// Effects: the pointer and `other` exchange what they own, and opens the latch.
template <class T>
void exchange(shared_ptr<T>& pointer, handle_latch& held, shared_ptr<T>& other) noexcept {
    std::swap(access::pointer_of(pointer), access::pointer_of(other));
    held.open(std::exchange(access::handle_of(other), held.value()));
}

}  // namespace detail

// Returns: false.
template <class T>
[[nodiscard]] bool atomic_is_lock_free(const shared_ptr<T>*) noexcept {
    return false;
}

// Every order means memory_order_seq_cst.
// Requires of all below: pointer != nullptr, and expected != nullptr.

// Returns: *pointer.
template <class T>
[[nodiscard]] shared_ptr<T> atomic_load_explicit(const shared_ptr<T>* pointer, std::memory_order) noexcept {
    auto& shared = const_cast<shared_ptr<T>&>(*pointer);  // the latch is in there
    detail::handle_latch held(detail::access::handle_of(shared));
    return detail::share(shared, held);
}

template <class T>
[[nodiscard]] shared_ptr<T> atomic_load(const shared_ptr<T>* pointer) noexcept {
    return freehold::atomic_load_explicit(pointer, std::memory_order_seq_cst);
}

// Effects: replaces *pointer by `desired`. Returns: the value before.
template <class T>
shared_ptr<T> atomic_exchange_explicit(shared_ptr<T>* pointer, shared_ptr<T> desired, std::memory_order) noexcept {
    detail::handle_latch held(detail::access::handle_of(*pointer));
    detail::exchange(*pointer, held, desired);
    return desired;
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
    // Read before the latch is closed: the two may be one.
    auto* const expected_object = detail::access::pointer_of(*expected);
    const auto expected_handle = detail::access::handle(*expected);
    detail::handle_latch held(detail::access::handle_of(*pointer));
    if (detail::access::pointer_of(*pointer) == expected_object && held.value() == expected_handle) {
        detail::exchange(*pointer, held, desired);
        return true;
    }
    // What was expected is released when the latch is open: its destructor may come back to this very pointer.
    detail::share(*pointer, held).swap(*expected);
    return false;
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

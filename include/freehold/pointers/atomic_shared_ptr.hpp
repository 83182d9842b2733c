#pragma once
// atomic_shared_ptr<T>, atomic_weak_ptr<T>: a shared_ptr or weak_ptr that several threads read and write at once
// ([util.smartptr.atomic]). std::atomic<freehold::shared_ptr<T>> is the same type.
//
// Thread safety: any thread may call any function but constructor and destructor at any time.
// Exceptions: none. Complexity: constant. Cost: three words; a load is two locked operations (the latch and the
// count), a store one and the release of the old value. Not lock-free: a latch of one bit is held while two words are
// copied. The old value is released after the latch is open, since a destructor may use this very object.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>

#include "../core/futex.hpp"
#include "detail/control_block.hpp"
#include "shared_ptr.hpp"
#include "weak_ptr.hpp"

namespace freehold {

namespace detail {

// Holds a latch for its lifetime. The lowest bit of the state is set while it is held; the rest counts changes.
class latch {
public:
    static constexpr std::uint32_t closed = 1;

    explicit latch(std::atomic<std::uint32_t>& state) noexcept : state_(state) {
        next_ = state_.load(std::memory_order_relaxed) & ~closed;
        // acquire: pairs with the release below: a holder sees what the previous holder wrote.
        // seq_cst: closing a latch is what puts all operations, of all objects, in one order.
        while (!state_.compare_exchange_weak(next_, next_ | closed, std::memory_order_seq_cst,
                                             std::memory_order_relaxed)) {
            // The holder may be descheduled: yield instead of spinning.
            if ((next_ & closed) != 0) std::this_thread::yield();
            next_ &= ~closed;
        }
    }

    latch(const latch&) = delete;
    latch& operator=(const latch&) = delete;

    // release: pairs with the acquire above and with that of atomic_pointer::wait.
    ~latch() { state_.store(next_, std::memory_order_release); }

    void mark_change() noexcept { next_ += one_change; }

private:
    static constexpr std::uint32_t one_change = 2;

    std::atomic<std::uint32_t>& state_;
    std::uint32_t next_;  // the state that opens the latch
};

// A Pointer guarded by a latch, with a number of changes to wait on.
template <class Pointer>
class atomic_pointer {
public:
    using value_type = Pointer;

    static constexpr bool is_always_lock_free = false;

    constexpr atomic_pointer() noexcept = default;
    atomic_pointer(Pointer desired) noexcept : value_(std::move(desired)) {}

    atomic_pointer(const atomic_pointer&) = delete;
    atomic_pointer& operator=(const atomic_pointer&) = delete;

    [[nodiscard]] bool is_lock_free() const noexcept { return false; }

    void operator=(Pointer desired) noexcept { store(std::move(desired)); }
    operator Pointer() const noexcept { return load(); }

    // Every order means memory_order_seq_cst: the latch needs nearly as much.

    // Returns: a copy of the value.
    [[nodiscard]] Pointer load(std::memory_order = std::memory_order_seq_cst) const noexcept {
        const latch held(state_.number);
        return value_;
    }

    // Effects: replaces the value by `desired`.
    void store(Pointer desired, std::memory_order = std::memory_order_seq_cst) noexcept {
        (void)exchange(std::move(desired));
    }

    // Effects: replaces the value by `desired`. Returns: the value before.
    Pointer exchange(Pointer desired, std::memory_order = std::memory_order_seq_cst) noexcept {
        latch held(state_.number);
        value_.swap(desired);
        held.mark_change();
        return desired;
    }

    // Effects: if the value is equivalent to `expected` (the same pointer, and the same ownership), replaces it by
    // `desired`, otherwise copies it into `expected`. Returns: whether it was equivalent.
    bool compare_exchange_strong(Pointer& expected, Pointer desired, std::memory_order, std::memory_order) noexcept {
        Pointer seen;
        {
            latch held(state_.number);
            if (is_equivalent(value_, expected)) {
                value_.swap(desired);
                held.mark_change();
                return true;
            }
            seen = value_;
        }
        expected.swap(seen);  // released when the latch is open
        return false;
    }

    bool compare_exchange_strong(Pointer& expected, Pointer desired,
                                 std::memory_order order = std::memory_order_seq_cst) noexcept {
        return compare_exchange_strong(expected, std::move(desired), order, order);
    }

    bool compare_exchange_weak(Pointer& expected, Pointer desired, std::memory_order success,
                               std::memory_order failure) noexcept {
        return compare_exchange_strong(expected, std::move(desired), success, failure);
    }

    bool compare_exchange_weak(Pointer& expected, Pointer desired,
                               std::memory_order order = std::memory_order_seq_cst) noexcept {
        return compare_exchange_strong(expected, std::move(desired), order, order);
    }

    // Effects: blocks until the value is not equivalent to `old`. It is compared at first and after a notification.
    void wait(Pointer old, std::memory_order = std::memory_order_seq_cst) const noexcept {
        for (;;) {
            // acquire: pairs with the release that opens the latch after a change. The number is read before the
            // value, so that a change in between is not missed.
            const std::uint32_t seen = state_.number.load(std::memory_order_acquire) & ~latch::closed;
            if (!is_equivalent(load(), old)) return;
            state_.wait(seen);
        }
    }

    void notify_one() noexcept { state_.notify_one(); }
    void notify_all() noexcept { state_.notify_all(); }

private:
    // Returns: whether a and b are the same pointer and share ownership.
    static bool is_equivalent(const Pointer& a, const Pointer& b) noexcept {
        return access::pointer_of(a) == access::pointer_of(b) && a.owner_equal(b);
    }

    Pointer value_;
    mutable futex state_;
};

}  // namespace detail

template <class T>
using atomic_shared_ptr = std::atomic<shared_ptr<T>>;

template <class T>
using atomic_weak_ptr = std::atomic<weak_ptr<T>>;

}  // namespace freehold

template <class T>
struct std::atomic<freehold::shared_ptr<T>> : freehold::detail::atomic_pointer<freehold::shared_ptr<T>> {
    using freehold::detail::atomic_pointer<freehold::shared_ptr<T>>::atomic_pointer;
    using freehold::detail::atomic_pointer<freehold::shared_ptr<T>>::operator=;

    constexpr atomic() noexcept = default;
    constexpr atomic(std::nullptr_t) noexcept {}

    void operator=(std::nullptr_t) noexcept { this->store(nullptr); }
};

template <class T>
struct std::atomic<freehold::weak_ptr<T>> : freehold::detail::atomic_pointer<freehold::weak_ptr<T>> {
    using freehold::detail::atomic_pointer<freehold::weak_ptr<T>>::atomic_pointer;
    using freehold::detail::atomic_pointer<freehold::weak_ptr<T>>::operator=;

    constexpr atomic() noexcept = default;
};

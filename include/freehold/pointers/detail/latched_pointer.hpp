#pragma once
// A pointer that is read and replaced under a latch beside it.

#include <atomic>
#include <cstdint>
#include <thread>

#include "control_block.hpp"

namespace freehold::detail {

// Holds a latch for as long as it lives. The lowest bit of its state is set while it is held, the rest counts changes.
class latch {
public:
    static constexpr std::uint32_t closed = 1;

    explicit latch(std::atomic<std::uint32_t>& state) noexcept : state_(state) {
        next_ = state_.load(std::memory_order_relaxed) & ~closed;
        // acquire: pairs with the release below: whoever holds the latch sees what the last holder wrote.
        // seq_cst: closing a latch is what puts all operations, of all objects, in one order.
        while (!state_.compare_exchange_weak(next_, next_ | closed, std::memory_order_seq_cst,
                                             std::memory_order_relaxed)) {
            // Held by somebody, who may have been stopped: give way instead of using up the time slice.
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

// Returns: whether a and b are the same pointer and share ownership.
template <class Pointer>
bool equivalent(const Pointer& a, const Pointer& b) noexcept {
    return access::pointer_of(a) == access::pointer_of(b) && a.owner_equal(b);
}

// Returns: a copy of `value`, which the latch of that state guards, as below.
template <class Pointer>
Pointer load_latched(std::atomic<std::uint32_t>& state, const Pointer& value) noexcept {
    const latch held(state);
    return value;
}

// Effects: replaces `value` by `desired`. Returns: the value before, to end when the latch is open: a destructor may
// come back to this very value.
template <class Pointer>
Pointer exchange_latched(std::atomic<std::uint32_t>& state, Pointer& value, Pointer desired) noexcept {
    latch held(state);
    value.swap(desired);
    held.mark_change();
    return desired;
}

// Effects: if `value` is equivalent to `expected`, replaces it by `desired`, otherwise copies it into `expected`.
// Returns: whether it was equivalent.
template <class Pointer>
bool compare_exchange_latched(std::atomic<std::uint32_t>& state, Pointer& value, Pointer& expected,
                              Pointer desired) noexcept {
    Pointer seen;
    {
        latch held(state);
        if (detail::equivalent(value, expected)) {
            value.swap(desired);
            held.mark_change();
            return true;
        }
        seen = value;
    }
    expected.swap(seen);
    return false;
}

}  // namespace freehold::detail

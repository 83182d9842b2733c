#pragma once
// marking_handshake: how the thread that has a heap and the thread that marks for it take turns. In a heap that threads
// share, "the program" is the one that has stopped the others, or holds the heap's mutex.
//
// The marker is inside while it marks, and the program parks it: park() returns when it is outside, and it stays there
// until resume(). One word says whether it is inside and whether it is parked. All that the two share without an atomic
// is used by the marker inside, and by the program while the marker is parked.

#include <atomic>
#include <cstdint>

#include "../../core/event_count.hpp"
#include "../../core/threading.hpp"

namespace freehold::inline v0_2::detail {

template <class Threading = process_threading>
class marking_handshake {
public:
    // For the program.

    // Effects: the marker is outside from now on, until resume(). Waits for it if it is inside.
    // Returns: false if that took longer than some spins.
    bool park() noexcept {
        // acquire: pairs with the release in leave(): the program sees what the marker did
        const std::uint32_t before = state_.fetch_or(parked, std::memory_order_acquire);
        const auto is_outside = [this] { return (state_.load(std::memory_order_acquire) & inside) == 0; };
        if ((before & inside) == 0) return true;
        for (int spins = 2 * Threading::spins; spins > 0; --spins) {
            if (is_outside()) return true;
            Threading::relax();
        }
        left_.wait(is_outside, false);
        return false;
    }

    // Effects: the marker may enter. Requires: the marker is parked.
    void resume() noexcept {
        state_.store(0, std::memory_order_release);  // pairs with enter(): the marker sees what the program did
    }

    // For the marker.

    // Returns: whether the marker is inside now. Requires: it was outside.
    [[nodiscard]] bool enter() noexcept {
        std::uint32_t outside = 0;
        return state_.compare_exchange_strong(outside, inside, std::memory_order_acquire,  // pairs with resume()
                                              std::memory_order_relaxed);
    }

    // Returns: whether the program waits for the marker, which is inside, to leave.
    [[nodiscard]] bool is_wanted() const noexcept {
        return (state_.load(std::memory_order_relaxed) & parked) != 0;  // leave() orders
    }

    void leave() noexcept {
        const std::uint32_t before = state_.fetch_and(~inside, std::memory_order_release);  // pairs with park()
        if ((before & parked) != 0) left_.notify_all();
    }

private:
    static constexpr std::uint32_t parked = 1;
    static constexpr std::uint32_t inside = 2;

    typename Threading::template atomic<std::uint32_t> state_ = parked;
    event_count<Threading> left_;
};

}  // namespace freehold::detail

#pragma once
// checked_ring: what a thread has deferred, under the checker. Its data is plain: two threads must not use it at once.

#include <freehold/pointers/detail/deferred_releases.hpp>

#include <cstddef>

#include "checked_atomic.hpp"

namespace support {

class checked_ring {
    using ring = freehold::detail::deferred_releases;
    using entry = freehold::detail::deferred_release;

public:
    [[nodiscard]] std::size_t size() const { return used().size(); }
    [[nodiscard]] bool is_empty() const { return used().is_empty(); }
    [[nodiscard]] bool is_full() const { return used().is_full(); }
    [[nodiscard]] std::size_t unexamined() const { return used().unexamined(); }
    void mark_fence() { used().mark_fence(); }
    void push(entry added) { used().push(added); }
    [[nodiscard]] entry pop() { return used().pop(); }
    void restart() { used().restart(); }
    [[nodiscard]] std::size_t room() const { return used().room(); }
    [[nodiscard]] entry* move_to(entry* larger, std::size_t room) { return used().move_to(larger, room); }

private:
    [[nodiscard]] ring& used() const {
        wrote(&ring_);
        return ring_;
    }

    mutable ring ring_;
};

}  // namespace support

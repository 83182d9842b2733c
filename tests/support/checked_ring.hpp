#pragma once
// checked_ring: what a thread has deferred, under the checker. Its data is plain: two threads must not use it at once.

#include <freehold/pointers/detail/deferred_releases.hpp>

#include <cstddef>

#include "checked_atomic.hpp"

namespace support {

template <class Process>
class checked_ring {
    using ring = freehold::detail::deferred_releases<Process>;
    using entry = freehold::detail::deferred_release;

public:
    [[nodiscard]] std::size_t size() const { return used().size(); }
    [[nodiscard]] bool is_empty() const { return used().is_empty(); }
    [[nodiscard]] std::size_t unscanned() const { return used().unscanned(); }
    [[nodiscard]] bool push(entry added) { return used().push(added); }
    void take_over(checked_ring& other, std::size_t most) { used().take_over(other.used(), most); }
    template <class ForEach>
    void note_fence(ForEach for_each_protected) {
        used().note_fence(for_each_protected);
    }
    template <class IsProtected>
    void scan_some(IsProtected is_protected) {
        used().scan_some(is_protected);
    }
    template <class IsProtected>
    std::size_t scan_all(IsProtected is_protected) {
        return used().scan_all(is_protected);
    }
    void shrink() { used().shrink(); }
    void restart() { used().restart(); }

private:
    [[nodiscard]] ring& used() const {
        wrote(&ring_);
        return ring_;
    }

    mutable ring ring_;
};

}  // namespace support

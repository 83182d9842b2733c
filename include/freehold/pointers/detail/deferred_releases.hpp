#pragma once
// deferred_releases: references that a thread has taken out of shared words, and may not release while another thread
// reads through them.
//
// A ring of entries, oldest first. The caller issues a heavy fence now and then, and captures which words are protected
// after it. An entry that is older than the fence is then released if no slot protects its word. Each addition examines
// two entries, or all if they are few, so no addition takes long. An entry that is still protected is added again.
//
// Thread safety: one thread at a time. Exceptions: none. Cost: 16 bytes an entry, of which the first 64 are in place.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace freehold::detail {

struct deferred_release {
    std::uintptr_t word;
    void (*release)(std::uintptr_t word) noexcept;
};

class deferred_releases {
public:
    deferred_releases() = default;
    deferred_releases(const deferred_releases&) = delete;
    deferred_releases& operator=(const deferred_releases&) = delete;

    [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
    [[nodiscard]] bool is_empty() const noexcept { return begin_ == end_; }
    [[nodiscard]] bool is_full() const noexcept { return size() == room(); }
    // Returns: the number of entries that are older than the last fence and were not examined since.
    [[nodiscard]] std::size_t unexamined() const noexcept { return fence_ - begin_; }

    // Effects: from now on all entries are older than the last fence.
    void mark_fence() noexcept { fence_ = end_; }

    // Effects: adds an entry. Requires: !is_full().
    void push(deferred_release added) noexcept { at(end_++) = added; }

    // Returns: the oldest entry. Effects: removes it. Requires: !is_empty().
    [[nodiscard]] deferred_release pop() noexcept {
        const deferred_release oldest = at(begin_++);
        if (fence_ < begin_) fence_ = begin_;
        return oldest;
    }

    // Effects: in a child of fork, no entry is examined twice if another thread was in the middle of pop().
    void restart() noexcept {
        if (fence_ < begin_) fence_ = begin_;
    }

    // The number of entries that there is room for, a power of two.
    [[nodiscard]] std::size_t room() const noexcept { return ring_ != nullptr ? room_ : in_place; }

    // Effects: the entries are kept in `ring` from now on, which has more room. Returns: the ring before; null if they
    // were in place.
    [[nodiscard]] deferred_release* move_to(deferred_release* ring, std::size_t room) noexcept {
        for (std::size_t i = begin_; i != end_; ++i) ring[i & (room - 1)] = at(i);
        room_ = room;
        return std::exchange(ring_, ring);
    }

private:
    static constexpr std::size_t in_place = 64;

    [[nodiscard]] deferred_release& at(std::size_t i) noexcept {
        return ring_ != nullptr ? ring_[i & (room_ - 1)] : first_[i % in_place];
    }

    std::size_t begin_ = 0;
    std::size_t fence_ = 0;
    std::size_t end_ = 0;
    std::size_t room_ = 0;  // of `ring_`
    deferred_release* ring_ = nullptr;
    std::array<deferred_release, in_place> first_;
};

}  // namespace freehold::detail

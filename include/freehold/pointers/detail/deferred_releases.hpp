#pragma once
// deferred_releases: references that a thread has taken out of shared words, and may not release while another thread
// reads through them.
//
// A ring of entries, oldest first. After a heavy fence, note_fence() captures which words are protected. A scan of an
// entry that is older than the fence then releases it, or adds it again if its word was protected. With each addition
// the thread scans two entries, or all if they are few, so no addition takes long.
//
// Thread safety: one thread at a time. Exceptions: none. Cost: 16 bytes an entry, of which the first 64 are in place.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/config.hpp"
#include "../../core/protected_set.hpp"

namespace freehold::inline v0_2::detail {

struct deferred_release {
    std::uintptr_t word;
    void (*release)(std::uintptr_t word) noexcept;
};

// Process: reader_domain.hpp; of it, allocate(bytes) and free(memory, bytes).
// IsProtected, here and below: a function that says whether a slot protects a word at this moment.
template <class Process>
class deferred_releases {
public:
    deferred_releases() = default;
    deferred_releases(const deferred_releases&) = delete;
    deferred_releases& operator=(const deferred_releases&) = delete;

    [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
    [[nodiscard]] bool is_empty() const noexcept { return begin_ == end_; }
    // Returns: the number of entries that are older than the last fence and were not scanned since.
    [[nodiscard]] std::size_t unscanned() const noexcept { return fence_ - begin_; }

    // Effects: adds an entry. Returns: false if there is no memory for it.
    [[nodiscard]] bool push(deferred_release added) noexcept {
        if (size() == room() && !grow()) [[unlikely]]
            return false;
        at(end_++) = added;
        return true;
    }

    // Effects: moves up to `most` entries of `other` to this, as far as there is memory for them.
    void take_over(deferred_releases& other, std::size_t most) noexcept {
        for (; most > 0 && !other.is_empty() && (size() != room() || grow()); --most) at(end_++) = other.pop();
    }

    // Effects: from now on all entries are older than the last fence. for_each_protected(visit) calls visit(word) for
    // each word that a slot protects. Requires: a heavy fence since the last push().
    template <class ForEach>
    void note_fence(ForEach for_each_protected) noexcept {
        protected_.clear();
        is_incomplete_ = false;
        const auto note = [this](std::uintptr_t word) { note_protected(word); };
        for_each_protected(note);
        fence_ = end_;
    }

    // Effects: scans all entries that are older than the last fence if they are few; else two, of which one is for the
    // entry that was just added. A scan whose destructors add three entries makes three extra scans due, and each call
    // does a thousandth of those that are: otherwise more would come than goes.
    template <class IsProtected>
    FREEHOLD_ALWAYS_INLINE void scan_some(IsProtected is_protected) noexcept {
        const std::size_t all = unscanned();
        const std::size_t extra = (extra_scans_ + calls_for_extra_scans - 1) / calls_for_extra_scans;
        std::size_t count = all;
        // A branch: with smaller(), clang++ executes a hundredth more in a store.
        if (all > at_once && 2 + extra < all) [[unlikely]]
            count = 2 + extra;
        extra_scans_ -= detail::smaller(extra, extra_scans_);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t before = size() - 1;
            const std::size_t kept = scan_oldest(is_protected);
            extra_scans_ += size() - before - kept;
        }
    }

    // Effects: scans all entries that are older than the last fence. Returns: the number of those added again.
    template <class IsProtected>
    std::size_t scan_all(IsProtected is_protected) noexcept {
        std::size_t kept = 0;
        while (unscanned() > 0) kept += scan_oldest(is_protected);
        extra_scans_ = 0;
        return kept;
    }

    // Effects: frees the memory that was necessary to note many words.
    void shrink() noexcept {
        const std::size_t bytes = decltype(protected_)::bytes(protected_.room());
        protected_.clear();
        if (std::uintptr_t* const memory = protected_.move_to(nullptr)) Process::free(memory, bytes);
    }

    // Effects: in a child of fork, no entry is scanned twice if another thread was in the middle of pop().
    void restart() noexcept {
        if (fence_ < begin_) fence_ = begin_;
    }

private:
    static constexpr std::size_t in_place = 64;
    static constexpr std::size_t first_ring = std::size_t{1} << 15;
    static constexpr std::size_t at_once = 64;  // as many releases need not be spread
    static constexpr std::size_t calls_for_extra_scans = 1024;

    // The number of entries that there is room for, a power of two.
    [[nodiscard]] std::size_t room() const noexcept { return ring_ != nullptr ? room_ : in_place; }

    [[nodiscard]] deferred_release& at(std::size_t i) noexcept {
        return ring_ != nullptr ? ring_[i & (room_ - 1)] : first_[i % in_place];
    }

    // Returns: the oldest entry. Effects: removes it. Requires: !is_empty().
    [[nodiscard]] deferred_release pop() noexcept {
        const deferred_release oldest = at(begin_++);
        if (fence_ < begin_) fence_ = begin_;
        return oldest;
    }

    // Effects: releases the oldest entry, or adds it again if it was protected after the fence. Returns: the number of
    // those added again.
    template <class IsProtected>
    FREEHOLD_ALWAYS_INLINE std::size_t scan_oldest(IsProtected is_protected) noexcept {
        const deferred_release oldest = pop();
        if (protected_.contains(oldest.word) || (is_incomplete_ && is_protected(oldest.word))) {
            at(end_++) = oldest;
            return 1;
        }
        oldest.release(oldest.word);
        return 0;
    }

    void note_protected(std::uintptr_t word) noexcept {
        if (protected_.is_full() && !grow_protected()) {
            is_incomplete_ = true;
        } else {
            protected_.insert(word);
        }
    }

    // Returns: false if there is no memory. A ring that is no more in place seldom grows: only for what a reader
    // protects, or one destructor defers.
    [[nodiscard]] bool grow() noexcept {
        const std::size_t before = room();
        const std::size_t room = before < first_ring ? first_ring : 2 * before;
        auto* const ring = static_cast<deferred_release*>(Process::allocate(room * sizeof(deferred_release)));
        if (ring == nullptr) return false;
        for (std::size_t i = begin_; i != end_; ++i) ring[i & (room - 1)] = at(i);
        room_ = room;
        if (deferred_release* const old = std::exchange(ring_, ring)) Process::free(old, before * sizeof(*old));
        return true;
    }

    // Returns: false if there is no memory.
    [[nodiscard]] bool grow_protected() noexcept {
        using set = decltype(protected_);
        const std::size_t before = protected_.room();
        auto* const memory = static_cast<std::uintptr_t*>(Process::allocate(set::bytes(2 * before)));
        if (memory == nullptr) return false;
        if (std::uintptr_t* const old = protected_.move_to(memory, 2 * before)) Process::free(old, set::bytes(before));
        return true;
    }

    std::size_t begin_ = 0;
    std::size_t fence_ = 0;
    std::size_t end_ = 0;
    std::size_t room_ = 0;         // of `ring_`
    std::size_t extra_scans_ = 0;  // scans of single entries, for what destructors have deferred
    deferred_release* ring_ = nullptr;
    bool is_incomplete_ = false;   // there was no memory for all in `protected_`
    protected_set<32> protected_;  // the words that were protected after the last fence
    std::array<deferred_release, in_place> first_;
};

}  // namespace freehold::detail

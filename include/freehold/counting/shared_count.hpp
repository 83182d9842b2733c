#pragma once
// shared_count: the owners and the weak pointers of an object, in one 64-bit word.
//
// Owners (shared_ptr) keep the object alive, weak pointers (weak_ptr) only the memory of its control block. All owners
// together count as one weak pointer, so that the memory outlives the object's destructor.
//
// The word, from its most significant bit: owners - 1 (36 bits, signed) | weak pointers (28 bits).
//   word >= 0                    alive
//   expired_from <= word < 0     expired: the object is destroyed, or its destruction has begun, and weak pointers are
//                                left. 31 of the bits that counted owners can hold a note (stash). The highest is
//                                cleared if the block is abandoned: it had too many weak pointers, and its memory is
//                                never freed
//   word < expired_from          immortal: one of the two counts was full; the object is never destroyed
// A full count makes the object immortal instead of overflowing: it leaks, and nothing dangles. "immortal" lies in the
// middle of a range that further counting can't leave. The next release detects a full count. With "owners - 1" the
// sign of a result shows every rare case. 28 bits for weak pointers keep one_owner an immediate operand of one
// instruction.
//
// Thread safety: that of the policy. Exceptions: none. Complexity: constant, but try_acquire, which is lock-free.
// Cost: 8 bytes. Each function is one locked operation if the policy's are; the last release of an object without weak
// pointers is not locked.

#include <climits>
#include <cstdint>

#include "../core/assert.hpp"
#include "counting_policy.hpp"

namespace freehold {

// What a release leaves: owners; nothing; or weak pointers, which need the control block.
enum class release_outcome { owned, expired_without_weak, expired_with_weak };

template <counting_policy Counting>
class shared_count {
public:
    // Whether a release first checks for a sole owner, to save the locked operation.
    static constexpr bool release_is_locked = Counting::concurrent;

    // Postconditions: owners() == 1, no weak pointer.
    constexpr shared_count() noexcept = default;

    shared_count(const shared_count&) = delete;
    shared_count& operator=(const shared_count&) = delete;

    // Effects: adds an owner.
    // Requires: the caller keeps the object alive.
    [[gnu::always_inline]] void acquire() noexcept {
        // A full count is left to the next release, which makes it immortal: a check here would be a jump in every
        // copy. Unnoticed it would count to `expired_from` after 15 * 2^32 owners, 960 GiB of handles, with no release
        // among the latter half.
        Counting::increase(word_, one_owner, []() noexcept {});
    }

    // Effects: adds an owner, unless the object is expired.
    // Returns: whether it did.
    [[nodiscard]] bool try_acquire() noexcept {
        count_word seen = Counting::observe(word_);
        do {
            if (is_expired(seen)) return false;
            // An increase that is undone would be cheaper under contention, but the last release could
            // not tell it from an owner.
        } while (!Counting::try_increase(word_, seen, one_owner));
        return true;
    }

    // Effects: removes an owner, and calls rare() if the object may be expired. rare() calls settle(), once.
    template <class Rare>
    [[gnu::always_inline]] void release(Rare rare) noexcept {
        Counting::decrease(word_, one_owner, rare);
    }

    // Returns: what the preceding release has left. After expired_without_weak no other thread can reach the word.
    // After expired_with_weak the caller is counted as a weak pointer, until it calls release_weak.
    // It reads the word again, so that a release needs only the sign of its result.
    [[nodiscard]] release_outcome settle() noexcept {
        const count_word now = Counting::observe(word_);
        if (now == last_weak) return release_outcome::expired_without_weak;
        if (is_expired(now)) return release_outcome::expired_with_weak;
        Counting::store(word_, immortal);
        return release_outcome::owned;
    }

    // Returns: true if the caller is the only owner and there is no weak pointer: then no other thread can reach the
    // word, and the object may be destroyed without a release. All that earlier owners did happens before the return.
    [[nodiscard, gnu::always_inline]] bool is_sole() const noexcept { return Counting::observe(word_) == sole_owner; }

    // Effects: adds a weak pointer.
    // Requires: the caller keeps the control block alive.
    void acquire_weak() noexcept {
        Counting::increase(word_, 1, []() noexcept {});
        if ((Counting::observe(word_) & weak_mask) > max_weak) [[unlikely]]
            fill();
    }

    // Effects: removes a weak pointer.
    // Returns: true if neither owner nor weak pointer is left.
    [[nodiscard]] bool release_weak() noexcept {
        if constexpr (Counting::concurrent) {
            if (Counting::observe(word_) == last_weak) return true;
        }
        return Counting::decrease_to(word_, 1, last_weak - 1);
    }

    // Effects: leaves the word as a release of the only owner does: expired, with the caller as its only weak pointer.
    // Requires: is_sole().
    void expire() noexcept { Counting::store(word_, last_weak); }

    // Effects: if there is one owner, the caller, expires as by its release, with the caller as a weak pointer.
    // Returns: whether it did; then all that earlier owners did happens before the return.
    [[nodiscard]] bool try_expire() noexcept {
        count_word seen = Counting::observe(word_);
        while (seen >= 0 && seen < one_owner) {
            if (Counting::replace(word_, seen, seen - one_owner)) return true;
        }
        return false;
    }

    // Effects: adds the first owner to a word that has expired without ever having had one. What was done before
    // happens before what follows a try_acquire that succeeds: hence a decrease, which publishes, by a negative number.
    // Requires: the caller is counted as a weak pointer.
    void acquire_first() noexcept {
        Counting::decrease(word_, -(one_owner + 1), []() noexcept {});
    }

    // Effects: keeps a note of 31 bits in the word, until unstash() takes it out.
    // Requires: the object is expired, the caller is counted as a weak pointer, and no note is kept.
    void stash(std::uint32_t note) noexcept {
        Counting::decrease(word_, note * one_owner, []() noexcept {});
    }

    // Returns: the note that was kept. Postconditions: none is.
    [[nodiscard]] std::uint32_t unstash() noexcept {
        const count_word note = ~(Counting::observe(word_) >> owners_shift) & greatest_note;
        Counting::increase(word_, note * one_owner, []() noexcept {});
        return static_cast<std::uint32_t>(note);
    }

    // Returns: the number of owners at some moment of the call; the greatest long for an immortal object.
    [[nodiscard]] long owners() const noexcept {
        const count_word seen = Counting::observe(word_);
        if (seen >= 0) return static_cast<long>(seen / one_owner) + 1;
        return seen < expired_from ? LONG_MAX : 0;
    }

private:
    // A specialization may count in such a word, among others.
    template <counting_policy>
    friend class shared_count;

    constexpr explicit shared_count(count_word word) noexcept : word_(word) {}

    static constexpr int owners_shift = 28;
    static constexpr count_word one_owner = count_word{1} << owners_shift;
    static constexpr count_word weak_mask = one_owner - 1;
    static constexpr count_word max_weak = weak_mask / 2;
    static constexpr count_word sole_owner = 1;
    static constexpr count_word last_weak = -one_owner + 1;
    static constexpr count_word greatest_note = (count_word{1} << 31) - 1;
    static constexpr count_word kept = count_word{1} << 59;  // cleared in an expired word that is abandoned
    static constexpr count_word expired_from = -(count_word{1} << 60);
    static constexpr count_word immortal = -(count_word{1} << 62);

    // Effects: stops counting for good, because there are too many weak pointers.
    [[gnu::cold, gnu::noinline]] void fill() noexcept {
        count_word seen = Counting::observe(word_);
        // By comparison and exchange: an object that expires meanwhile must not be taken for an immortal one.
        while (!Counting::replace(word_, seen, is_expired(seen) ? abandoned(seen) : immortal)) {
        }
    }

    static constexpr bool is_expired(count_word word) noexcept { return word >> 60 == -1; }

    static constexpr count_word abandoned(count_word word) noexcept { return (word & ~kept & ~weak_mask) | max_weak; }

    count_word word_ = sole_owner;
};

}  // namespace freehold

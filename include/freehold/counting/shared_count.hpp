#pragma once
// shared_count: the owners and the weak pointers of an object, in one 64-bit word.
//
// Owners (shared_ptr) keep the object alive, weak pointers (weak_ptr) only the memory of its control block. All owners
// together count as one weak pointer, so that the memory outlives the object's destructor.
//
// The word, from its most significant bit: owners - 1 (36 bits, signed) | weak pointers (28 bits).
// clang-format off
//   word >= 0                     alive
//   -one_owner <= word < 0        left: the last owner was counted down, and its release is not yet resolved
//   expired_from <= word < left   expired: the object is destroyed, or its destruction has begun. The word stays far
//                                 from zero, so a lock() that comes too late may add an owner and take it back. A bit
//                                 is cleared if the block is abandoned: it had too many weak pointers, and is never freed
//   word < expired_from           immortal: one of the two counts was full; the object is never destroyed
// clang-format on
// A full count makes the object immortal instead of overflowing: it leaks, and nothing dangles. "immortal" lies in the
// middle of a range that further counting can't leave. The next release detects a full count. With "owners - 1" the
// sign of a result shows every rare case. 28 bits for weak pointers keep one_owner an immediate operand of one
// instruction.
//
// A lock() adds an owner without a comparison. If it finds "left by the last owner", the object lives on, and the
// release of that owner, which has still to read the word, must not expire it. So the lock() adds a weak pointer on its
// behalf, which keeps the block for it.
//
// Thread safety: that of the policy. Exceptions: none. Complexity: constant; the release of the last owner beside weak
// pointers is lock-free, all else wait-free.
// Cost: 8 bytes. Each function is one locked operation if the policy's are. The last release of an object without weak
// pointers is not locked, nor is a lock() of an expired object. A second one is needed if a lock() and the last release
// meet.

#include <climits>
#include <cstdint>

#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "counting_policy.hpp"

namespace freehold::inline v0_2 {

// What a release leaves: owners; nothing; weak pointers, which need the control block; or nothing but the memory of the
// block, whose object another release has destroyed.
enum class release_outcome { owned, expired_without_weak, expired_with_weak, unused };

// What an owner finds before its release.
enum class company { owners, weak_pointers, none };

// What a lock finds: an owner; none, and adds none; or none any longer when it adds one.
enum class lock_outcome { acquired, refused, late };

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
    FREEHOLD_ALWAYS_INLINE void acquire() noexcept {
        // A full count is left to the next release, which makes it immortal: a check here would be a jump in every
        // copy. Unnoticed it would count to `expired_from` after 15 * 2^32 owners, 960 GiB of handles, with no release
        // among the latter half.
        Counting::increase(word_, one_owner, []() noexcept {});
    }

    // Effects: adds an owner, unless the object is expired. Returns: whether it did.
    [[nodiscard]] bool try_acquire() noexcept { return resolve_lock(try_lock()); }

    // Effects: adds an owner if the object has one. Returns: what to call resolve_lock with, unless it is `acquired`.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE lock_outcome try_lock() noexcept {
        const count_word seen = Counting::observe(word_);
        if (seen < 0) [[unlikely]]
            return lock_outcome::refused;
        return Counting::fetch_add(word_, seen, one_owner) < 0 ? lock_outcome::late : lock_outcome::acquired;
    }

    // Returns: whether an owner was added by the preceding try_lock(), or is added now. Effects: if the object expired
    // before the try_lock() added one, takes it back.
    [[nodiscard]] bool resolve_lock(lock_outcome outcome) noexcept {
        if (outcome == lock_outcome::acquired) return true;
        count_word now = Counting::observe(word_);
        if (outcome == lock_outcome::refused) {
            if (is_expired(now)) [[likely]]
                return false;
            if (Counting::fetch_add(word_, now, one_owner) >= 0) return true;
            now = Counting::observe(word_);
        }
        // Where an owner was added, an expired word stays expired, and one that was left is no longer negative.
        if (is_expired(now)) {
            Counting::increase(word_, -one_owner, []() noexcept {});
            return false;
        }
        if (now >= 0) acquire_weak();  // for the release that had left the word
        return true;
    }

    // Effects: removes an owner, and calls rare() if the object may be expired. rare() calls resolve_release(), once.
    template <class Rare>
    FREEHOLD_ALWAYS_INLINE void release(Rare rare) noexcept {
        Counting::decrease(word_, one_owner, rare);
    }

    // Returns: what the preceding release has left. After expired_without_weak or unused no other thread can reach the
    // word. After expired_with_weak the caller is counted as a weak pointer, until it calls release_weak.
    // It reads the word again, so that a release needs only the sign of its result.
    [[nodiscard]] release_outcome resolve_release() noexcept {
        count_word seen = Counting::observe(word_);
        if (seen == left_alone) return release_outcome::expired_without_weak;
        while (is_left(seen)) {
            if (Counting::replace(word_, seen, seen + one_owner + expired)) return release_outcome::expired_with_weak;
        }
        if (seen < expired_from || seen > -expired_from) {
            Counting::store(word_, immortal);
            return release_outcome::owned;
        }
        // A lock() came between, and has added a weak pointer for the caller.
        return release_weak() ? release_outcome::unused : release_outcome::owned;
    }

    // Returns: what keeps an owner, the caller, company. All that earlier owners did happens before a return of `none`:
    // then no other thread can reach the word, and the object may be destroyed without a release.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE company company_of_owner() const noexcept {
        const count_word seen = Counting::observe(word_);
        if (seen >= one_owner) [[likely]]
            return company::owners;
        return seen == sole_owner ? company::none : company::weak_pointers;
    }

    // Effects: removes the caller, which found only weak pointers beside it. One locked operation instead of the two of
    // release() and resolve_release(). Returns: as resolve_release().
    [[nodiscard]] release_outcome release_beside_weak() noexcept {
        if (try_expire()) return release_outcome::expired_with_weak;
        auto outcome = release_outcome::owned;
        release([&]() noexcept { outcome = resolve_release(); });
        return outcome;
    }

    // Returns: true if the caller is the only owner and there is no weak pointer: then no other thread can reach the
    // word, and the object may be destroyed without a release. All that earlier owners did happens before the return.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool is_sole() const noexcept {
        return Counting::observe(word_) == sole_owner;
    }

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
    // Requires: is_sole(), or a release that left nothing.
    void expire() noexcept { Counting::store(word_, last_weak); }

    // Returns: whether the object is expired for all others, so that the caller may be one of several weak pointers.
    [[nodiscard]] bool is_expired() const noexcept { return is_expired(Counting::observe(word_)); }

    // Effects: if there is one owner, the caller, expires as by its release, with the caller as a weak pointer.
    // Returns: whether it did; then all that earlier owners did happens before the return.
    [[nodiscard]] bool try_expire() noexcept {
        count_word seen = Counting::observe(word_);
        while (seen >= 0 && seen < one_owner) {
            if (Counting::replace(word_, seen, seen + expired)) return true;
        }
        return false;
    }

    // Effects: adds the first owner to a word that has expired without ever having had one. What was done before
    // happens before what follows a try_acquire that succeeds: hence a decrease, which publishes, by a negative number.
    // Requires: the caller is counted as a weak pointer.
    void acquire_first() noexcept {
        Counting::decrease(word_, expired - 1, []() noexcept {});
    }

    // Returns: the number of owners at some moment of the call; the greatest long for an immortal object.
    [[nodiscard]] long owners() const noexcept {
        const count_word seen = Counting::observe(word_);
        if (seen >= 0) return static_cast<long>(seen / one_owner) + 1;
        if (seen < expired_from) return LONG_MAX;
        return is_left(seen) && seen != left_alone ? 1 : 0;  // what is left may still be locked
    }

    // Returns: the number of weak pointers at some moment of the call; 0 for an immortal object.
    [[nodiscard]] long weak_pointers() const noexcept {
        const count_word seen = Counting::observe(word_);
        if (seen < expired_from) return 0;
        const long all = static_cast<long>(seen & weak_mask);
        return is_expired(seen) ? all : all - 1;  // the owners are one of them
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
    static constexpr count_word left_alone = -one_owner + 1;
    static constexpr count_word expired_from = -(count_word{1} << 61);
    static constexpr count_word kept = count_word{1} << 59;  // cleared in an expired word that is abandoned
    static constexpr count_word expired = -kept;
    static constexpr count_word last_weak = expired + 1;
    static constexpr count_word immortal = -(count_word{1} << 62);

    // Effects: stops counting for good, because there are too many weak pointers.
    FREEHOLD_COLD FREEHOLD_NOINLINE void fill() noexcept {
        count_word seen = Counting::observe(word_);
        // By comparison and exchange: an object that expires meanwhile must not be taken for an immortal one.
        while (!Counting::replace(word_, seen, is_expired(seen) ? abandoned(seen) : immortal)) {
        }
    }

    static constexpr bool is_left(count_word word) noexcept { return word >> owners_shift == -1; }

    static constexpr bool is_expired(count_word word) noexcept { return word < -one_owner && word >= expired_from; }

    static constexpr count_word abandoned(count_word word) noexcept { return (word & ~kept & ~weak_mask) | max_weak; }

    alignas(sizeof(count_word)) count_word word_ = sole_owner;  // i686 would align it to 4 bytes
};

}  // namespace freehold

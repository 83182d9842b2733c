#pragma once
// reference_count: the number of owners of an object that brings its own count.
//
// Thread safety: that of the policy. Exceptions: none. Complexity: constant.
// Cost: 8 bytes. 64 bits can't overflow: at one copy a nanosecond it would take 290 years, so it is not checked.
// A release is one locked operation if the policy's are, and none by the only owner.

#include "../core/assert.hpp"
#include "counting_policy.hpp"

namespace freehold::inline v0_2 {

template <counting_policy Counting>
class reference_count {
public:
    // Postconditions: value() == 0.
    constexpr reference_count() noexcept = default;

    reference_count(const reference_count&) = delete;
    reference_count& operator=(const reference_count&) = delete;

    // Effects: adds an owner.
    void acquire() noexcept {
        Counting::increase(owners_less_one_, 1, []() noexcept {});
    }

    // Effects: removes an owner, and calls last() if no owner is left. All that the other owners did happens
    // before that call. Requires: value() > 0, unless the object is being destroyed.
    template <class Last>
    void release(Last last) noexcept {
        // No other thread can reach the count of an only owner: a load saves the atomic operation.
        if constexpr (Counting::concurrent) {
            if (Counting::observe(owners_less_one_) == 0) return last();
        }
        FREEHOLD_EXPECTS(Counting::observe(owners_less_one_) >= 0,
                         "an object without owners is released, once more than it was acquired");
        Counting::decrease(owners_less_one_, 1, last);
    }

    // Effects: stops counting what the object's destructor acquires and releases.
    // Requires: no owner is left.
    void expire() noexcept { Counting::store(owners_less_one_, expired); }

    // stash() keeps a note in the count, unstash() returns it. Requires: no owner is left, and 0 <= note < 2^62.
    void stash(count_word note) noexcept { Counting::store(owners_less_one_, expired | note); }
    [[nodiscard]] count_word unstash() const noexcept { return Counting::observe(owners_less_one_) & ~expired; }

    // Returns: the number of owners at some moment of the call, 0 while the object is being destroyed.
    [[nodiscard]] long value() const noexcept {
        const count_word seen = Counting::observe(owners_less_one_);
        return seen < expired / 2 ? static_cast<long>(seen) + 1 : 0;
    }

private:
    static constexpr count_word expired = count_word{1} << 62;

    // The owners minus 1, so that the sign alone shows the last release. Aligned, for processors of 32 bits.
    alignas(sizeof(count_word)) count_word owners_less_one_ = -1;
};

}  // namespace freehold

#pragma once
// Objects with a count of their own that wait for their destruction, linked through the count.

#include "../../counting/counting_policy.hpp"

namespace freehold::detail {

// A list in one thread. Counted has a member count_ that can keep a note, and a function end_now(object).
template <class Counted>
class pending_objects {
public:
    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

    // Effects: adds `added`. Returns: true. Requires: no owner of it is left.
    [[nodiscard]] bool push(const Counted* added) noexcept {
        added->count_.stash(reinterpret_cast<count_word>(first_));
        first_ = added;
        return true;
    }

    // Effects: removes an object and ends it. Requires: !empty().
    void end_one() noexcept {
        const Counted* const removed = first_;
        first_ = reinterpret_cast<const Counted*>(removed->count_.unstash());
        Counted::end_now(removed);
    }

private:
    const Counted* first_ = nullptr;
};

}  // namespace freehold::detail

#pragma once
// basic_slab_queue: slabs in a ring through their links `next` and `previous`, the first of which was pushed first.

#include <utility>

namespace freehold::detail {

template <class Slab>
class basic_slab_queue {
public:
    [[nodiscard]] Slab* first() const noexcept { return first_; }

    void push(Slab* added) noexcept {
        if (first_ == nullptr) {
            first_ = added->next = added->previous = added;
            return;
        }
        added->next = first_;
        added->previous = std::exchange(first_->previous, added);
        added->previous->next = added;
    }

    void remove(Slab* removed) noexcept {
        removed->previous->next = removed->next;
        removed->next->previous = removed->previous;
        if (first_ == removed) first_ = removed->next != removed ? removed->next : nullptr;
        removed->next = nullptr;
    }

    // Returns: the first slab, taken out, or null.
    [[nodiscard]] Slab* pop() noexcept {
        Slab* const popped = first_;
        if (popped != nullptr) remove(popped);
        return popped;
    }

private:
    Slab* first_ = nullptr;
};

}  // namespace freehold::detail

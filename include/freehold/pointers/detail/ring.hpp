#pragma once
// A place in a doubly linked ring: alone, or between two others.

namespace freehold::detail {

class ring {
public:
    constexpr ring() noexcept : previous_(this), next_(this) {}

    ring(const ring&) = delete;
    ring& operator=(const ring&) = delete;

    [[nodiscard]] bool is_alone() const noexcept { return next_ == this; }

    // Effects: enters the ring of `other`, behind it. Requires: is_alone().
    void join(ring& other) noexcept {
        previous_ = &other;
        next_ = other.next_;
        next_->previous_ = this;
        other.next_ = this;
    }

    // Effects: closes the ring behind *this. Postconditions: is_alone().
    void leave() noexcept {
        previous_->next_ = next_;
        next_->previous_ = previous_;
        previous_ = next_ = this;
    }

    // Effects: takes the place of `other`. Requires: is_alone(). Postconditions: other.is_alone().
    void replace(ring& other) noexcept {
        if (other.is_alone()) return;
        join(other);
        other.leave();
    }

    // Returns: the number of places in the ring. Complexity: linear in it.
    [[nodiscard]] long size() const noexcept {
        long places = 1;
        for (const ring* place = next_; place != this; place = place->next_) ++places;
        return places;
    }

private:
    ring* previous_;
    ring* next_;
};

}  // namespace freehold::detail

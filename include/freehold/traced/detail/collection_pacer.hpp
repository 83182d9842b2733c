#pragma once
// When a traced heap collects, and whether the collection is a full one.

#include <cstddef>
#include <limits>

#include "../../core/alignment.hpp"
#include "../traced_heap_options.hpp"

namespace freehold::detail {

class collection_pacer {
public:
    explicit collection_pacer(const traced_heap_options& options) noexcept
        : nursery_bytes_(detail::min(options.nursery_bytes, never)),
          max_nursery_bytes_(detail::clamp(options.max_nursery_bytes, nursery_bytes_, never)),
          growth_factor_(options.growth_factor),
          min_full_bytes_(detail::min(options.min_full_bytes, never)) {}

    // Effects: counts bytes that were allocated since the last collection.
    void count_young(std::size_t bytes) noexcept { left_ -= static_cast<std::ptrdiff_t>(bytes); }

    // Returns: whether a collection is due.
    [[nodiscard]] bool is_due() const noexcept { return left_ <= 0; }

    // Returns: whether it should be a full one. `live_bytes` survived the last one.
    [[nodiscard]] bool is_full_due(std::size_t live_bytes) const noexcept {
        return live_bytes + expected_survivors_ >= full_bytes_;
    }

    void after_full(std::size_t live_bytes) noexcept {
        const double grown = static_cast<double>(live_bytes) * growth_factor_;
        full_bytes_ =
            grown < static_cast<double>(never) ? detail::max(min_full_bytes_, static_cast<std::size_t>(grown)) : never;
        start_again();
    }

    // Effects: defers the next collection if most of the young objects survived, as they are expected to do again:
    // until a full one is due, or max_nursery_bytes are allocated.
    void after_young(std::size_t survived_bytes, std::size_t live_bytes) noexcept {
        const bool most_survived = is_due() && survived_bytes >= space_ / 4 * 3;
        if (!most_survived) return start_again();
        const std::size_t until_full = full_bytes_ - detail::min(live_bytes, full_bytes_);
        const std::size_t space = detail::clamp(until_full, nursery_bytes_, max_nursery_bytes_);
        start(space, space);
    }

    // Effects: the next collection comes after nursery_bytes.
    void start_again() noexcept { start(nursery_bytes_, 0); }

private:
    // A number of bytes that no program allocates, and twice that fits in a std::size_t.
    static constexpr std::size_t never = std::numeric_limits<std::ptrdiff_t>::max();

    void start(std::size_t space, std::size_t expected_survivors) noexcept {
        space_ = space;
        left_ = static_cast<std::ptrdiff_t>(space);
        expected_survivors_ = expected_survivors;
    }

    const std::size_t nursery_bytes_;
    const std::size_t max_nursery_bytes_;
    const double growth_factor_;
    const std::size_t min_full_bytes_;
    std::size_t full_bytes_ = min_full_bytes_;
    std::size_t space_ = nursery_bytes_;                         // the bytes of the nursery
    std::ptrdiff_t left_ = static_cast<std::ptrdiff_t>(space_);  // until a collection is due
    std::size_t expected_survivors_ = 0;                         // bytes, after a deferral
};

}  // namespace freehold::detail

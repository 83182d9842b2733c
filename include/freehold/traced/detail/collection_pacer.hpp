#pragma once
// When a traced heap collects, and whether all of it.

#include <algorithm>
#include <cstddef>
#include <limits>

#include "../traced_heap_options.hpp"

namespace freehold::detail {

class collection_pacer {
public:
    explicit collection_pacer(const traced_heap_options& options) noexcept
        : young_bytes_(std::min(options.nursery_bytes, never)),
          most_young_bytes_(std::clamp(options.max_nursery_bytes, young_bytes_, never)),
          growth_(options.growth),
          least_full_bytes_(std::min(options.min_full_bytes, never)) {}

    // Effects: so many bytes were handed out since the last collection.
    void count_young(std::size_t bytes) noexcept { left_ -= static_cast<std::ptrdiff_t>(bytes); }

    // Returns: whether it is time for a collection.
    [[nodiscard]] bool is_due() const noexcept { return left_ <= 0; }

    // Returns: whether that is to be a full one, where objects of so many bytes had survived before.
    [[nodiscard]] bool is_full_due(std::size_t live_bytes) const noexcept {
        return live_bytes + expected_survivors_ >= full_bytes_;
    }

    void after_full(std::size_t live_bytes) noexcept {
        const double grown = static_cast<double>(live_bytes) * growth_;
        full_bytes_ =
            grown < static_cast<double>(never) ? std::max(least_full_bytes_, static_cast<std::size_t>(grown)) : never;
        start_again();
    }

    // Effects: where most of the young objects survived, they are expected to again, and are left alone until a full
    // collection is due or they are too many.
    void after_young(std::size_t survived_bytes, std::size_t live_bytes) noexcept {
        const bool most_survived = is_due() && survived_bytes >= space_ / 4 * 3;
        if (!most_survived) return start_again();
        const std::size_t until_full = full_bytes_ - std::min(live_bytes, full_bytes_);
        const std::size_t space = std::clamp(until_full, young_bytes_, most_young_bytes_);
        start(space, space);
    }

    // Effects: the next collection comes as if nothing were known.
    void start_again() noexcept { start(young_bytes_, 0); }

private:
    // So many bytes are never made, and twice as many can be counted.
    static constexpr std::size_t never = std::numeric_limits<std::ptrdiff_t>::max();

    void start(std::size_t space, std::size_t expected_survivors) noexcept {
        space_ = space;
        left_ = static_cast<std::ptrdiff_t>(space);
        expected_survivors_ = expected_survivors;
    }

    const std::size_t young_bytes_;
    const std::size_t most_young_bytes_;
    const double growth_;
    const std::size_t least_full_bytes_;
    std::size_t full_bytes_ = least_full_bytes_;
    std::size_t space_ = young_bytes_;                           // for young objects
    std::ptrdiff_t left_ = static_cast<std::ptrdiff_t>(space_);  // of it
    std::size_t expected_survivors_ = 0;                         // their bytes, where they are left alone
};

}  // namespace freehold::detail

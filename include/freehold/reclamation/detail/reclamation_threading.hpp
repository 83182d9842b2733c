#pragma once
// What hazard pointers and RCU synchronize with in a program, and their limits. The tests have smaller ones.

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../core/threading.hpp"
#include "../reclamation_limits.hpp"

namespace freehold::detail {

// How many retired objects may wait. Any thread may read and change it; relaxed: each of its numbers is used alone.
class adjustable_limits {
public:
    constexpr adjustable_limits() noexcept = default;

    // After so many retirements an examination is due, which takes a heavy fence.
    [[nodiscard]] std::uint64_t fence_period() const noexcept {
        return default_period + period_.load(std::memory_order_relaxed);
    }

    // The retirements of a lane between two entries in the ledger that all lanes share.
    [[nodiscard]] std::uint64_t chunk() const noexcept { return (fence_period() + 63) / 64; }

    // Returns: what an object of that size counts for.
    [[nodiscard]] std::size_t weight_of(std::size_t bytes) const noexcept {
        const int log2_unit = default_log2_unit + log2_unit_.load(std::memory_order_relaxed);
        if ((bytes - 1) >> log2_unit == 0) [[likely]]
            return 1;
        return (std::min<std::size_t>)(1 + ((bytes - 1) >> log2_unit), fence_period());
    }

    void set(reclamation_limits most) noexcept {
        // With one chunk in each of 16 lanes, 2.25 periods may wait.
        const std::size_t objects = (std::min)((std::max)(most.objects, least_objects), most_objects);
        const std::size_t unit = (std::max<std::size_t>)(most.bytes / objects, 1);
        period_.store(static_cast<std::uint32_t>(objects * 4 / 9) - default_period, std::memory_order_relaxed);
        log2_unit_.store(static_cast<int>(std::bit_width(unit)) - 1 - default_log2_unit, std::memory_order_relaxed);
    }

private:
    static constexpr std::size_t least_objects = 144;
    static constexpr std::size_t most_objects = 64'512;
    static constexpr std::uint32_t default_period = reclamation_limits().objects * 4 / 9;
    static constexpr int default_log2_unit =
        std::bit_width(reclamation_limits().bytes / reclamation_limits().objects) - 1;

    // Less the defaults: zeros take no room in the program's file.
    std::atomic<std::uint32_t> period_ = 0;
    std::atomic<int> log2_unit_ = 0;
};

struct reclamation_threading : process_threading {
    using limits = adjustable_limits;

    static constexpr std::size_t lane_count = 16;
    static constexpr int weight_bits = 20;  // of a word with the number of examinations above
    static constexpr bool is_first_group_in_place = true;
};

}  // namespace freehold::detail

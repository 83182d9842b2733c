#pragma once
// reclamation_limits: how much that was retired may wait for its deleter. set_hazard_pointer_limits() and
// set_rcu_limits() take it (hazard_pointer.hpp, rcu_domain.hpp).

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../core/alignment.hpp"
#include "../core/record_table.hpp"

namespace freehold::inline v0_2 {

// At most `objects`, and `bytes` of these objects themselves, are retired and not yet deleted in the process, besides
// what readers protect and what those headers except. Fewer objects stay in the cache until their memory is used again,
// and take more fences: one for each 4/9 of them (docs/reclamation/reclamation_limits.md has the price).
// `objects` is at least 144 and at most 64,512: another number is taken for the nearest. An object of more than
// bytes / objects bytes counts once for each. One that is larger than 4/9 of `bytes` counts as this much.
struct reclamation_limits {
    std::size_t objects = 9'216;
    std::size_t bytes = 2'359'296;  // 256 for each object
};

}  // namespace freehold

namespace freehold::inline v0_2::detail {

// How many retired objects may wait. Any thread may read and change it; relaxed: each of its numbers is used alone.
class adjustable_limits {
public:
    constexpr adjustable_limits() noexcept = default;

    // A scan, which takes a heavy fence, is due after this number of retirements.
    [[nodiscard]] std::uint64_t fence_period() const noexcept {
        return std::uint32_t{default_period + period_.load(std::memory_order_relaxed)};
    }

    // The retirements of a shard between two entries in the ledger that all shards share.
    [[nodiscard]] std::uint64_t chunk() const noexcept {
        return std::uint32_t{default_chunk + chunk_.load(std::memory_order_relaxed)};
    }

    // Returns: what an object of that size counts for.
    [[nodiscard]] std::size_t weight_of(std::size_t bytes) const noexcept {
        const std::size_t unit = default_unit + unit_.load(std::memory_order_relaxed);
        if (bytes <= unit) [[likely]]
            return 1;
        return detail::smaller(1 + (bytes - 1) / unit, static_cast<std::size_t>(fence_period()));
    }

    void set(reclamation_limits most) noexcept {
        // With one chunk in each of 16 shards, 2.25 periods may wait.
        const std::size_t objects = detail::clamp(most.objects, least_objects, most_objects);
        const auto period = static_cast<std::uint32_t>(objects * 4 / 9);
        period_.store(period - default_period, std::memory_order_relaxed);
        chunk_.store((period + parts - 1) / parts - default_chunk, std::memory_order_relaxed);
        unit_.store(detail::larger(most.bytes / objects, 1) - default_unit, std::memory_order_relaxed);
    }

private:
    static constexpr std::size_t least_objects = 144;
    static constexpr std::size_t most_objects = 64'512;
    static constexpr std::uint32_t parts = 64;  // of a period
    static constexpr std::uint32_t default_period = reclamation_limits().objects * 4 / 9;
    static constexpr std::uint32_t default_chunk = default_period / parts;
    static constexpr std::size_t default_unit = reclamation_limits().bytes / reclamation_limits().objects;

    // Less the defaults: zeros take no room in the program's file. The sums wrap around.
    std::atomic<std::uint32_t> period_ = 0;
    std::atomic<std::uint32_t> chunk_ = 0;
    std::atomic<std::size_t> unit_ = 0;
};

// The Limits of hazard pointers and RCU in a program. The tests have smaller ones.
struct process_limits : process_records {
    using adjustable = adjustable_limits;

    static constexpr std::size_t shard_count = 16;
    static constexpr int weight_bits = 20;  // of a word with the number of scans above
    static constexpr bool is_first_group_in_place = true;
};

}  // namespace freehold::detail

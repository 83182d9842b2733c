#pragma once
// resource_id: the id of a resource that threads share, by which each thread finds its part in a table of its own.
//
// A resource takes an id when it is used for the first time, and gives it back when it releases its memory. No id is
// returned twice, so what a table says of a resource that is gone is never taken for another one's.
//
// Thread safety: any thread may call any function but release(). Exceptions: none.

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "../../core/config.hpp"
#include "../../core/unique_id.hpp"

namespace freehold::inline v0_2::detail {

inline constexpr std::uint64_t process_pool_id = 0;  // of the one pool that is never destroyed
inline constexpr std::uint64_t no_resource_id = 1;   // of a resource that no thread has used yet

// The entries of a thread's table. The id of a resource has the number of its entry above its last four bits: as an
// entry has 16 bytes, its offset is the id with a mask. A shift more would be an instruction in each allocation.
class table_entries {
public:
    static constexpr std::size_t count = 16;

    [[nodiscard]] static std::size_t of(std::uint64_t resource) noexcept { return (resource >> below_number) % count; }

    // Returns: an id for a resource, whose entry no other one has while there are enough; 0 without address space.
    [[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE std::uint64_t take_id() noexcept {
        // relaxed, here and below: two resources in one entry only cost time
        const std::uint32_t seen = taken_.load(std::memory_order_relaxed);
        std::uint64_t id = 0;
        for (std::size_t drawn = 0; drawn < count; ++drawn) {
            id = std::rotl(unique_id(), below_number);
            if ((seen & bit_of(id)) == 0) break;
        }
        taken_.fetch_or(bit_of(id), std::memory_order_relaxed);
        return id;
    }

    void give_back(std::uint64_t id) noexcept { taken_.fetch_and(~bit_of(id), std::memory_order_relaxed); }

private:
    static constexpr int below_number = 4;
    static_assert(std::rotr(process_pool_id, below_number) % (unique_ids::counter_mask + 1) == 0 &&
                      std::rotr(no_resource_id, below_number) % (unique_ids::counter_mask + 1) == 0,
                  "no pool has an id that another one could get: the counter of unique_id() is never 0");

    [[nodiscard]] static std::uint32_t bit_of(std::uint64_t id) noexcept { return std::uint32_t{1} << of(id); }

    std::atomic<std::uint32_t> taken_ = 0;
};

inline constinit table_entries module_table_entries;

class resource_id {
public:
    constexpr explicit resource_id(std::uint64_t id = no_resource_id) noexcept : id_(id) {}

    // relaxed: a thread only compares it with the ids in its own table
    [[nodiscard]] std::uint64_t get() const noexcept { return id_.load(std::memory_order_relaxed); }

    // Effects: takes an id if there is none. Returns: false if the address space is exhausted.
    [[nodiscard]] bool take() noexcept {
        std::uint64_t seen = get();
        if (seen != no_resource_id) return true;
        const std::uint64_t fresh = module_table_entries.take_id();
        if (fresh == 0) return false;
        // relaxed: as get(). If another thread was first, its id is used.
        if (!id_.compare_exchange_strong(seen, fresh, std::memory_order_relaxed)) module_table_entries.give_back(fresh);
        return true;
    }

    // Effects: no thread finds its part any more. Requires: no other thread uses the resource.
    void release() noexcept {
        if (get() != no_resource_id) module_table_entries.give_back(get());
        id_.store(no_resource_id, std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> id_;
};

}  // namespace freehold::detail

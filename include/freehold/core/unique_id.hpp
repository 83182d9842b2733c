#pragma once
// Ids that are unique in the process, across modules and time.
//
// A program and a library that it loads may each have a copy of an inline variable: the dynamic linker merges only
// visible symbols. A counter alone could then repeat the numbers of another module's counter. So the upper part of an
// id is the address of a page that is reserved and never given back, and only the lower part is a counter.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "platform/pages.hpp"

namespace freehold::inline v0_2::detail {

class unique_ids {
public:
    // 2^counter_bits ids come from one page. Addresses have at most 57 bits, and twelve of them vary within a page.
    static constexpr int counter_bits = 19;

    constexpr unique_ids() noexcept = default;

    // Returns: an id that was never returned before, in any module, and is greater than `counter_mask`; or 0 if the
    // address space is exhausted.
    // Cost: a locked operation, and a system call for the first number of each page.
    [[nodiscard]] std::uint64_t next() noexcept {
        // relaxed, here and below: the ids need only differ
        std::uint64_t id = next_.load(std::memory_order_relaxed);
        for (;;) {
            if ((id & counter_mask) != 0) {
                if (next_.compare_exchange_weak(id, id + 1, std::memory_order_relaxed)) return id;
                continue;
            }
            void* const page = take_address();
            if (page == nullptr) return 0;
            const std::uint64_t first = reinterpret_cast<std::uintptr_t>(page) / smallest_page << counter_bits | 1;
            if (next_.compare_exchange_strong(id, first + 1, std::memory_order_relaxed)) return first;
            free_address(page);  // another thread was first, and no id came from this page
        }
    }

    static constexpr std::uint64_t counter_mask = (std::uint64_t{1} << counter_bits) - 1;

private:
    // The next id. A counter of 0 means that there is no page yet, or that all its ids were returned.
    std::atomic<std::uint64_t> next_ = 0;
};

inline constinit unique_ids module_ids;

// Returns: an id that is unique in the process; or 0 if the address space is exhausted.
[[nodiscard]] inline std::uint64_t unique_id() noexcept { return module_ids.next(); }

}  // namespace freehold::detail

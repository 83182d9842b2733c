#pragma once
// dense_use: whether a program will write to most of the memory that it takes: as it did with what it took before.
//
// Huge pages save most page faults of memory that is written to all over. Where little of it is, each byte takes 2 MiB.
// Only small pages show what was written. So every other piece keeps them for as long as the program writes all of it,
// in an order that no pattern of allocations follows.
//
// Thread safety: one thread at a time. Exceptions: none.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/platform/page_changes.hpp"
#include "../../core/platform/pages.hpp"
#include "idle_pages.hpp"

namespace freehold::inline v0_2::detail {

class dense_use {
public:
    // Returns: whether that much fresh memory is to get huge pages. Effects: learns from what is watched.
    [[nodiscard]] bool expects(std::size_t bytes) noexcept {
        learn();
        return has_seen(bytes) && is_turn();
    }

    // Returns: whether enough was dense that this much may be: half as much, as of a block that doubles.
    [[nodiscard]] bool has_seen(std::size_t bytes) const noexcept { return bytes / 2 <= dense_; }

    // Effects: learns from the pages later. Requires: they are fresh, and small ones.
    void watch(page_range fresh) noexcept { watched_ = fresh; }

    // Effects: leaves out the last bytes of what is watched: nobody had them.
    void leave_out(std::size_t bytes) noexcept { watched_.bytes -= detail::smaller(watched_.bytes, bytes); }

    // Effects: learns from the pages that begin there, if they are watched: they are freed.
    void learn_from(const std::byte* begin) noexcept {
        if (watched_.begin == begin) learn();
    }

private:
    static constexpr std::size_t samples = 16;
    static constexpr std::uint32_t scatter = 0xC2B2AE35;  // multiples of it are irregular

    // Returns: true once in each two calls, irregularly the first or the second time.
    [[nodiscard]] bool is_turn() noexcept {
        const std::uint32_t turn = turn_++;
        return (static_cast<std::uint32_t>(std::popcount(turn / 2 * scatter)) + turn) % 2 == 0;
    }

    // Effects: learns from the watched pages. Complexity: constant. Cost: 16 system calls.
    void learn() noexcept {
        const page_range used = std::exchange(watched_, {});
        if (used.bytes < huge_page / 2) return;
        const std::size_t stripe = used.bytes / samples / page_granule * page_granule;
        std::size_t known = 0;
        std::size_t resident = 0;
        for (std::size_t i = 0; i < samples; ++i) {
            // At irregular places, since blocks of one size may be met at the same place of each.
            const std::size_t page = i * scatter / 65536 % (stripe / page_granule);
            const page_state state = state_of_page(used.begin + i * stripe + page * page_granule);
            if (state != page_state::unmapped) ++known;
            if (state == page_state::resident) ++resident;
        }
        if (known < samples / 2) return;
        if (resident < known - known / 8) {
            dense_ = 0;
            doubted_ = used.bytes * 8;
        } else {
            const std::size_t doubted = detail::smaller(doubted_, used.bytes);
            doubted_ -= doubted;
            dense_ += used.bytes - doubted;
        }
    }

    page_range watched_;
    std::size_t dense_ = 0;    // bytes, since others were not
    std::size_t doubted_ = 0;  // as many bytes are to be dense before more of them count
    std::uint32_t turn_ = 0;
};

}  // namespace freehold::detail

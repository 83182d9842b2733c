#pragma once
// sample_countdown: which allocations a heap profile samples, one in each 512 KiB on average.
//
// Each byte that is allocated is chosen with the same probability, whatever was allocated before, so that no program
// falls into step with it. A block of s bytes is sampled with the probability 1 - exp(-s / mean).
//
// Thread safety: one thread at a time. Exceptions: none. Cost: a subtraction and a jump in each allocation.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../../core/config.hpp"

namespace freehold::inline v0_2::detail {

// Seeds the countdowns one after the other; 0 until the first one. Only a test stores anything here.
inline constinit std::atomic<std::uint64_t> sample_seeds = 0;

class sample_countdown {
public:
    static constexpr std::size_t mean = std::size_t{512} * 1024;

    // Effects: counts an allocation. Returns: whether is_due() comes next.
    [[nodiscard]] bool count(std::size_t bytes) noexcept {
#if defined(__clang__)  // each compiler makes two instructions of its way, and five of the other
        const auto before = static_cast<std::size_t>(left_);
        left_ = static_cast<std::ptrdiff_t>(before - bytes);
        return before < bytes;
#else
        left_ -= static_cast<std::ptrdiff_t>(bytes);
        return left_ < 0;
#endif
    }

    // Effects: counts an allocation, unless count() has done so and returned true. Returns: whether it is sampled,
    // which is never so unless there is a profile.
    [[nodiscard]] FREEHOLD_COLD FREEHOLD_NOINLINE bool is_due(std::size_t bytes, bool has_profile) noexcept {
        if (left_ >= 0 && !count(bytes)) return false;
        if (!has_profile) {  // once there is one, nobody waits for long
            left_ = static_cast<std::ptrdiff_t>(mean);
            return false;
        }
        if (random_ == 0) {  // the first allocation of all: no distance was drawn yet
            begin();
            left_ = distance();
            if (!count(bytes)) return false;
        }
        left_ = distance();
        return true;
    }

private:
    void begin() noexcept {
        constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;
        // relaxed, both: the numbers need only differ. The address differs from one run to the next.
        std::uint64_t none = 0;
        sample_seeds.compare_exchange_strong(none, reinterpret_cast<std::uintptr_t>(this), std::memory_order_relaxed);
        std::uint64_t mixed = sample_seeds.fetch_add(golden, std::memory_order_relaxed) + golden;
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9U;
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBU;
        random_ = (mixed ^ mixed >> 31) | 1;
    }

    // Returns: a number of 32 random bits: xorshift.
    [[nodiscard]] std::uint64_t draw() noexcept {
        random_ ^= random_ << 13;
        random_ ^= random_ >> 7;
        random_ ^= random_ << 17;
        return random_ >> 32;
    }

    // Returns: an exponentially distributed number, by von Neumann's method, which needs no logarithm: of the numbers
    // that begin descending runs, the first one whose run has an odd length, and 1 for each run before it.
    [[nodiscard]] std::ptrdiff_t distance() noexcept {
        for (std::uint64_t runs = 0;; ++runs) {
            const std::uint64_t first = draw();
            bool is_odd = true;
            for (std::uint64_t last = first;; is_odd = !is_odd) {
                const std::uint64_t next = draw();
                if (next >= last) break;
                last = next;
            }
            if (is_odd) return static_cast<std::ptrdiff_t>(runs * mean + (first * mean >> 32));
        }
    }

    // Between two allocations not negative.
    std::ptrdiff_t left_ = 0;
    std::uint64_t random_ = 0;
};

struct no_countdown {};

}  // namespace freehold::detail

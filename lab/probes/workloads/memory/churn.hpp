#pragma once
// churn: of `x` live blocks of 16 to 64 bytes, a random one is replaced by one of another random size, `x` times.
//
// Twice as many are allocated at first and a random half of them freed, so that free blocks lie scattered.

#include <cstdint>
#include <memory>
#include <vector>

#include "../../harness/workload.hpp"
#include "blocks.hpp"

namespace lab::churn {

inline constexpr int live_blocks[] = {500, 5000, 50'000};

// Blocks of random sizes, each replaced when its turn comes.
template <class Strategy>
class population {
public:
    explicit population(std::size_t live) : slots_(2 * live) {
        for (slot& each : slots_) {
            fill(each);
        }
        while (slots_.size() > live) {
            std::swap(slots_[random_.below(slots_.size())], slots_.back());
            empty(slots_.back());
            slots_.pop_back();
        }
    }

    population(const population&) = delete;
    population& operator=(const population&) = delete;

    ~population() {
        for (slot& each : slots_) {
            empty(each);
        }
    }

    void replace(long blocks) {
        for (; blocks > 0; --blocks) {
            slot& chosen = slots_[random_.below(slots_.size())];
            empty(chosen);
            fill(chosen);
        }
    }

    std::uint64_t digest() const { return digest_; }

private:
    struct slot {
        word* block;
        std::size_t words;
    };

    void fill(slot& empty) {
        empty.words = 2 + random_.below(7);
        empty.block = allocate_block(arena_, empty.words, empty.words);
    }

    void empty(slot& full) { digest_ += free_block(arena_, full.block, full.words); }

    typename Strategy::arena& arena_ = kept_arena<Strategy>::get();
    random_numbers random_{20'000};
    std::vector<slot> slots_;
    std::uint64_t digest_ = 0;
};

template <class Strategy>
struct kept_population {
    static inline std::unique_ptr<population<Strategy>> blocks;

    static population<Strategy>& get(int live) {
        if (!blocks) {
            blocks = std::make_unique<population<Strategy>>(static_cast<std::size_t>(live));
        }
        return *blocks;
    }

    static void clear() {
        blocks.reset();
        kept_arena<Strategy>::clear();
    }
};

template <class Strategy>
void run(int live, long iterations) {
    kept_population<Strategy>::get(live).replace(live * iterations);
}

template <class Strategy>
std::uint64_t checksum() {
    kept_population<Strategy>::clear();
    run<Strategy>(5000, 1);
    const std::uint64_t digest = kept_population<Strategy>::get(5000).digest();
    kept_population<Strategy>::clear();
    return digest;
}

template <class Strategy>
inline constexpr series plot[] = {{.name = "16 to 64 bytes",
                                   .sizes = live_blocks,
                                   .work = run<Strategy>,
                                   .clear = kept_population<Strategy>::clear,
                                   .fits = is_within,
                                   .peak_iterations = 10}};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::churn

#pragma once
// churn: of 20'000 live blocks of 16 to 64 bytes, `x` random ones are each replaced by one of another random size.
//
// Twice as many are allocated at first and a random half of them freed, so that free blocks lie scattered.

#include <cstdint>
#include <memory>
#include <vector>

#include "../../harness/workload.hpp"
#include "blocks.hpp"

namespace lab::churn {

inline constexpr std::size_t live = 20'000;
inline constexpr int replaced[] = {1000};

// Blocks of random sizes, each replaced when its turn comes.
template <class Strategy>
class population {
public:
    population() : slots_(2 * live) {
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

    void replace(int blocks) {
        for (; blocks > 0; --blocks) {
            slot& chosen = slots_[random_.below(live)];
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

    static population<Strategy>& get() {
        if (!blocks) {
            blocks = std::make_unique<population<Strategy>>();
        }
        return *blocks;
    }

    static void clear() {
        blocks.reset();
        kept_arena<Strategy>::clear();
    }
};

template <class Strategy>
void run(int blocks, long iterations) {
    auto& population = kept_population<Strategy>::get();
    for (; iterations > 0; --iterations) {
        population.replace(blocks);
    }
}

template <class Strategy>
std::uint64_t checksum() {
    kept_population<Strategy>::clear();
    run<Strategy>(1000, 1);
    const std::uint64_t digest = kept_population<Strategy>::get().digest();
    kept_population<Strategy>::clear();
    return digest;
}

template <class Strategy>
inline constexpr series plot[] = {{.name = "16 to 64 bytes",
                                   .sizes = replaced,
                                   .work = run<Strategy>,
                                   .clear = kept_population<Strategy>::clear,
                                   .peak_iterations = 200}};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::churn

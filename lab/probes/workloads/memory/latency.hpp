#pragma once
// latency: how long single calls take. 20,000 blocks of 16 bytes to 4 KiB are allocated, 40,000 random ones replaced,
// and all freed. The clock is read before each call and after it, which is part of what is told.

#include <x86intrin.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>

#include "../../harness/histogram.hpp"
#include "../../harness/threads.hpp"
#include "../../harness/workload.hpp"
#include "blocks.hpp"

namespace lab::latency {

inline histogram ticks;
inline double nanoseconds_of_tick = 0;

// Adds how long `call` takes.
template <class Call>
auto timed(const Call& call) {
    const std::uint64_t started = __rdtsc();
    const auto found = call();
    ticks.add(__rdtsc() - started);
    return found;
}

template <class Strategy>
class population {
public:
    population() {
        for (slot& each : *slots_) {
            fill(each);
        }
    }

    population(const population&) = delete;
    population& operator=(const population&) = delete;

    void replace(int blocks) {
        for (; blocks > 0; --blocks) {
            slot& chosen = (*slots_)[random_.below(slots_->size())];
            empty(chosen);
            fill(chosen);
        }
    }

    // Returns: a digest of all that was freed.
    std::uint64_t end() {
        for (slot& each : *slots_) {
            empty(each);
        }
        return digest_;
    }

private:
    struct slot {
        word* block;
        std::size_t words;
    };

    void fill(slot& empty) {
        const std::size_t least = std::size_t{2} << random_.below(8);
        empty.words = least + random_.below(least);
        empty.block = timed([&] { return arena_.template allocator<word>().allocate(empty.words); });
        *empty.block = empty.words;
    }

    void empty(slot& full) {
        digest_ = digest_ * 31 + *full.block;
        timed([&] {
            arena_.template allocator<word>().deallocate(full.block, full.words);
            return 0;
        });
    }

    typename Strategy::arena& arena_ = kept_arena<Strategy>::get();
    random_numbers random_{999};
    std::unique_ptr<std::array<slot, 20'000>> slots_ = std::make_unique<std::array<slot, 20'000>>();
    std::uint64_t digest_ = 0;
};

template <class Strategy>
std::uint64_t run_once() {
    ticks.clear();
    const auto started = std::chrono::steady_clock::now();
    const std::uint64_t first_tick = __rdtsc();
    population<Strategy> blocks;
    blocks.replace(40'000);
    const std::uint64_t digest = blocks.end();
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - started;
    nanoseconds_of_tick = taken.count() / static_cast<double>(__rdtsc() - first_tick);
    return digest;
}

template <class Strategy>
void run(int, long iterations) {
    for (; iterations > 0; --iterations) {
        run_once<Strategy>();
    }
}

// The first series has measured for the others.
inline void was_run(int, long) {}

template <int PerThousand>
double quantile() {
    return static_cast<double>(ticks.quantile(PerThousand / 1000.0)) * nanoseconds_of_tick;
}

template <class Strategy>
std::uint64_t checksum() {
    const std::uint64_t digest = run_once<Strategy>();
    kept_arena<Strategy>::clear();
    return digest;
}

template <class Strategy>
inline constexpr series plot[] = {{.name = "p50",
                                   .sizes = one_thread,
                                   .work = run<Strategy>,
                                   .clear = kept_arena<Strategy>::clear,
                                   .peak_iterations = 1,
                                   .rest = kept_arena<Strategy>::rest,
                                   .tell = quantile<500>},
                                  {.name = "p99", .sizes = one_thread, .work = was_run, .tell = quantile<990>},
                                  {.name = "p99.9", .sizes = one_thread, .work = was_run, .tell = quantile<999>},
                                  {.name = "max", .sizes = one_thread, .work = was_run, .tell = quantile<1000>}};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::latency

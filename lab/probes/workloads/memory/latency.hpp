#pragma once
// latency: how long single calls take. 20,000 blocks of 16 bytes to 4 KiB are allocated: growing; and 100,000 random
// ones replaced, and all freed: steady. The clock is read before each call and after it, which is part of what is told.

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>

#include "../../harness/histogram.hpp"
#include "../../harness/threads.hpp"
#include "../../harness/ticks.hpp"
#include "../../harness/workload.hpp"
#include "blocks.hpp"

namespace lab::latency {

inline histogram growing;  // while blocks are allocated only
inline histogram steady;
inline double nanoseconds_of_tick = 0;

// Adds how long `call` takes.
template <class Call>
auto timed(histogram& times, const Call& call) {
    const std::uint64_t started = ticks();
    const auto found = call();
    times.add(ticks() - started);
    return found;
}

template <class Strategy>
class population {
public:
    population() {
        for (slot& each : *slots_) {
            fill(each, growing);
        }
    }

    population(const population&) = delete;
    population& operator=(const population&) = delete;

    void replace(int blocks) {
        for (; blocks > 0; --blocks) {
            slot& chosen = (*slots_)[random_.below(slots_->size())];
            empty(chosen);
            fill(chosen, steady);
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

    void fill(slot& empty, histogram& times) {
        const std::size_t least = std::size_t{2} << random_.below(8);
        empty.words = least + random_.below(least);
        empty.block = timed(times, [&] { return arena_.template allocator<word>().allocate(empty.words); });
        *empty.block = empty.words;
    }

    void empty(slot& full) {
        digest_ = digest_ * 31 + *full.block;
        timed(steady, [&] {
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
    growing.clear();
    steady.clear();
    const auto started = std::chrono::steady_clock::now();
    const std::uint64_t first_tick = ticks();
    population<Strategy> blocks;
    blocks.replace(100'000);
    const std::uint64_t digest = blocks.end();
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - started;
    nanoseconds_of_tick = taken.count() / static_cast<double>(ticks() - first_tick);
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

template <const histogram& Ticks, int PerThousand>
double quantile(int) {
    return static_cast<double>(Ticks.quantile(PerThousand / 1000.0)) * nanoseconds_of_tick;
}

template <const histogram& Ticks, int PerThousand>
constexpr series told(const char* name) {
    return {.name = name, .sizes = one_thread, .work = was_run, .tell = quantile<Ticks, PerThousand>};
}

template <class Strategy>
std::uint64_t checksum() {
    const std::uint64_t digest = run_once<Strategy>();
    kept_arena<Strategy>::clear();
    return digest;
}

template <class Strategy>
inline constexpr series plot[] = {{.name = "steady, p50",
                                   .sizes = one_thread,
                                   .work = run<Strategy>,
                                   .clear = kept_arena<Strategy>::clear,
                                   .peak_iterations = 1,
                                   .rest = kept_arena<Strategy>::rest,
                                   .tell = quantile<steady, 500>},
                                  told<steady, 990>("steady, p99"),
                                  told<steady, 999>("steady, p99.9"),
                                  told<steady, 1000>("steady, max"),
                                  told<growing, 500>("growing, p50"),
                                  told<growing, 990>("growing, p99"),
                                  told<growing, 999>("growing, p99.9"),
                                  told<growing, 1000>("growing, max")};

template <class Strategy>
using of = measured<plot<Strategy>, checksum<Strategy>>;

}  // namespace lab::latency

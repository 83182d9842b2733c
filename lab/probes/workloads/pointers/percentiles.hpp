#pragma once
// Percentiles of how long single operations of threads take, in the processor time of their thread: a time slice of
// another process is no part of that, and nor is sleeping until a mutex is free. Reading the clock takes longer than
// most operations. What it takes alone is told beside them, and reads are timed many at once.

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "harness/histogram.hpp"
#include "harness/threads.hpp"
#include "harness/workload.hpp"

namespace lab {

class thread_times {
public:
    histogram reads;
    histogram stores;
    histogram clock;

    void add(const thread_times& other) {
        reads.add(other.reads);
        stores.add(other.stores);
        clock.add(other.clock);
    }

    // Adds the time since the last lap. A lap contains one reading of the clock.
    void lap(histogram& taken) {
        const std::uint64_t ended = now();
        taken.add(ended - started_);
        started_ = ended;
    }

private:
    static std::uint64_t now() {
        timespec read;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &read);
        return static_cast<std::uint64_t>(read.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(read.tv_nsec);
    }

    std::uint64_t started_ = now();
};

inline std::map<int, thread_times> times_by_threads;

// A part is one of ten thousand.
template <histogram thread_times::* Which, int Parts>
double quantile(int threads) {
    const auto found = (times_by_threads[threads].*Which).quantile(Parts / 10'000.0);
    return static_cast<double>(std::max(found, std::uint64_t{1}));  // ratios are made of it
}

// What an earlier series has measured.
inline void was_run(int, long) {}

template <histogram thread_times::* Which, int Parts>
constexpr series percentile(const char* name, void (*work)(int, long) = was_run) {
    return {.name = name,
            .sizes = several_threads,
            .work = work,
            .measured_by = clock::wall,
            .fits = has_processors,
            .tell = quantile<Which, Parts>};
}

}  // namespace lab

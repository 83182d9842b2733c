#pragma once
// What the programs of this folder share that tell how long single operations take.
//
// They are timed by the wall's clock, which costs a tenth of a thread's own: what the thread does takes no longer than
// that says. So there are to be no more threads than processors.

#include <time.h>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <thread>
#include <vector>

namespace latency {

inline long cpu_ns() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1'000'000'000L + now.tv_nsec;
}

inline long wall_ns() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

// Returns: as many as leave a processor to the thread that writes.
inline int most_readers() { return std::max(static_cast<int>(std::thread::hardware_concurrency()) - 1, 1); }

// Effects: calls work(i) for each i below `times`. Returns: how long each call took, in nanoseconds.
template <class Work>
std::vector<int> time_each(std::size_t times, Work work) {
    std::vector<int> ns(times);
    for (std::size_t i = 0; i < times; ++i) {
        const long before = wall_ns();
        work(static_cast<long>(i));
        ns[i] = static_cast<int>(wall_ns() - before);
    }
    return ns;
}

inline void print_percentiles(std::vector<int>& ns) {
    std::sort(ns.begin(), ns.end());
    for (const double quantile : {.5, .99, .999, .9999}) {
        std::printf("%9d", ns[static_cast<std::size_t>(quantile * static_cast<double>(ns.size() - 1))]);
    }
}

// Effects: waits for as long as an operation takes, and prints how often the machine interrupts a thread meanwhile.
inline void print_waits(std::size_t times, long ns) {
    std::vector<int> taken = time_each(times, [ns](long) {
        const long start = wall_ns();
        while (wall_ns() - start < ns) {
        }
    });
    std::printf("%-31s", "a wait");
    print_percentiles(taken);
    std::printf("\n");
}

}  // namespace latency

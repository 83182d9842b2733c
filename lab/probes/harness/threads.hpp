#pragma once
// Threads that work at once.

#include <span>

namespace lab {

// The x of a series of threads; which of them this machine measures is up to has_processors.
inline constexpr int most_threads = 128;
inline constexpr int thread_counts[] = {1, 2, 4, 8, 16, 32, 64, most_threads};
inline constexpr auto one_thread = std::span(thread_counts).first(1);
inline constexpr auto several_threads = std::span(thread_counts).subspan(1);

// Whether this process has processors for so many threads at once; two are measured anywhere. As series::fits, so there
// is a scale, which is nothing to threads.
bool has_processors(int threads, int scale);

// Whether a process may have that number of threads, however few processors there are.
bool may_start(int threads);

// Starts n threads, which all call work(thread, iterations) as soon as the last of them has started, and waits for
// them. `thread` counts from 0.
void run_in_threads(int threads, void (*work)(int thread, long iterations), long iterations);

}  // namespace lab

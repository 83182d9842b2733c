#pragma once
// Threads that work at once.

namespace lab {

// Starts n threads, which all call work(thread, iterations) as soon as the last of them has started, and waits for
// them. `thread` counts from 0.
void run_in_threads(int threads, void (*work)(int thread, long iterations), long iterations);

}  // namespace lab

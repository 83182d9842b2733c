#pragma once
// Threads that work at once.

namespace lab {

// Starts so many threads, which all call work(iterations) as soon as the last of them is there, and waits for them.
void run_in_threads(int threads, void (*work)(long iterations), long iterations);

}  // namespace lab

#pragma once
// Threads that start as nearly at once as can be.

#include <latch>
#include <thread>
#include <vector>

namespace support {

// Effects: calls work(0), …, work(threads - 1), each in a thread of its own, and waits for all.
template <class Work>
void in_threads(int threads, Work work) {
    std::latch start(threads);
    std::vector<std::thread> workers;
    for (int i = 0; i < threads; ++i) {
        workers.emplace_back([&, i] {
            start.arrive_and_wait();
            work(i);
        });
    }
    for (std::thread& worker : workers) worker.join();
}

}  // namespace support

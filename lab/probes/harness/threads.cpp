#include "threads.hpp"

#include <latch>
#include <thread>
#include <vector>

namespace lab {

void run_in_threads(int threads, void (*work)(int, long), long iterations) {
    std::latch start(threads);
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) {
        running.emplace_back([&, i] {
            start.arrive_and_wait();
            work(i, iterations);
        });
    }
    for (std::thread& each : running) {
        each.join();
    }
}

}  // namespace lab

#include "threads.hpp"

#include <sched.h>

#include <algorithm>
#include <latch>
#include <thread>
#include <vector>

namespace lab {

bool has_processors(int threads, int) {
    cpu_set_t usable;
    const int processors = sched_getaffinity(0, sizeof(usable), &usable) == 0 ? CPU_COUNT(&usable) : 0;
    return threads <= std::max(2, processors);
}

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

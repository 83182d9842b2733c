#include "threads.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <latch>
#include <limits>
#include <thread>
#include <vector>

namespace lab {

bool has_processors(int threads, int) {
    cpu_set_t usable;
    const int processors = sched_getaffinity(0, sizeof(usable), &usable) == 0 ? CPU_COUNT(&usable) : 0;
    return threads <= std::max(2, processors);
}

bool may_start(int threads) {
    rlimit tasks;
    const bool user_may = getrlimit(RLIMIT_NPROC, &tasks) != 0 || static_cast<rlim_t>(threads) * 2 <= tasks.rlim_cur;
    long of_group = std::numeric_limits<long>::max();  // as it stays where there is "max", or no such file
    std::ifstream("/sys/fs/cgroup/pids.max") >> of_group;
    return user_may && (of_group == 0 || threads * 2L <= of_group);
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

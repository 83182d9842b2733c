#include "memory.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "resident_memory.hpp"

namespace lab {

namespace {

// A child begins with the memory of its parent, so that its peak is no lower than that. The kernel is late by up to 64
// pages of each kind.
long peak_bytes() {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * 1024;
}

constexpr std::chrono::seconds idle_time(2);

struct use {
    long peak;
    long left;
    long resident = -1;
    long idle = -1;
    collector_work collections = {};
};

collector_work collections_since_last(const point& measured) {
    return measured.of->collections != nullptr ? measured.of->collections() : collector_work();
}

use measure_here(const point& measured) {
    const resident_memory before = read_resident_memory();
    measured.prepare();
    collections_since_last(measured);  // those of the preparation are not asked for
    measured.work(measured.of->peak_iterations);
    const collector_work collections = collections_since_last(measured);
    measured.finish();
    const resident_memory then = read_resident_memory();
    const long peak = std::max(peak_bytes() - then.of_files, then.anonymous);  // a small one is known from what is kept
    use found{.peak = peak - before.anonymous, .left = 0, .collections = collections};
    if (measured.of->rest != nullptr) {
        found.resident = then.anonymous - before.anonymous;
        measured.of->rest();
        std::this_thread::sleep_for(idle_time);
        found.idle = read_resident_memory().anonymous - before.anonymous;
    }
    measured.clear();
    found.left = read_resident_memory().anonymous - before.anonymous;
    return found;
}

use measure_in_child(const point& measured) {
    int ends[2];
    if (pipe(ends) != 0) {
        throw std::runtime_error("no pipe to a child could be made");
    }
    const pid_t child = fork();
    if (child < 0) {
        throw std::runtime_error("no child could be forked");
    }
    if (child == 0) {
        const use found = measure_here(measured);
        _exit(write(ends[1], &found, sizeof(found)) == sizeof(found) ? 0 : 1);
    }
    close(ends[1]);
    use found;
    const bool told = read(ends[0], &found, sizeof(found)) == sizeof(found);
    close(ends[0]);
    waitpid(child, nullptr, 0);
    if (!told) {
        throw std::runtime_error("the child that measures memory ended too early");
    }
    return found;
}

}  // namespace

std::vector<memory_use> measure_memory(const std::vector<point>& points) {
    std::vector<memory_use> uses;
    for (const point& measured : points) {
        if (measured.of->peak_iterations > 0) {
            const use found = measure_in_child(measured);
            uses.push_back({measured, found.peak, found.left, found.resident, found.idle, found.collections});
        }
    }
    return uses;
}

}  // namespace lab

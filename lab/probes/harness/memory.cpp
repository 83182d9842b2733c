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

collector_work collections_since_last(const point& measured) {
    return measured.of->collections != nullptr ? measured.of->collections() : collector_work();
}

// Calls `told` when the work is done, and returns what is known in the end.
memory_use measure_here(const point& measured, bool idle, const auto& told) {
    const long before = read_resident_memory().anonymous;
    measured.prepare();
    collections_since_last(measured);  // those of the preparation are not asked for
    measured.work(measured.of->peak_iterations);
    memory_use found{.at = measured, .collections = collections_since_last(measured)};
    measured.finish();
    const resident_memory then = read_resident_memory();
    // A small peak is known from what is kept.
    found.peak = std::max(peak_bytes() - then.of_files, then.anonymous) - before;
    if (measured.of->rest != nullptr) {
        found.resident = then.anonymous - before;
        measured.of->rest();
        told();
        if (idle) {
            std::this_thread::sleep_for(idle_time);
            found.idle = read_resident_memory().anonymous - before;
        }
    } else {
        told();
    }
    measured.clear();
    found.left = read_resident_memory().anonymous - before;
    if (measured.of->unfreed != nullptr) {
        found.unfreed = measured.of->unfreed(measured.x);
    }
    return found;
}

struct child {
    pid_t process;
    int answers;
};

void answer(int to, const auto& what) {
    if (write(to, &what, sizeof(what)) != sizeof(what)) {
        _exit(1);
    }
}

void hear(int from, auto& what) {
    if (read(from, &what, sizeof(what)) != sizeof(what)) {
        throw std::runtime_error("the child that measures memory ended too early");
    }
}

// Returns when the work is done, so that no two work at once.
child start(const point& measured, bool idle) {
    int ends[2];
    if (pipe(ends) != 0) {
        throw std::runtime_error("no pipe to a child could be made");
    }
    const pid_t process = fork();
    if (process < 0) {
        throw std::runtime_error("no child could be forked");
    }
    if (process == 0) {
        answer(ends[1], measure_here(measured, idle, [&ends] { answer(ends[1], true); }));
        _exit(0);
    }
    close(ends[1]);
    bool done;
    hear(ends[0], done);
    return {process, ends[0]};
}

memory_use finish(const child& ending) {
    memory_use found;
    hear(ending.answers, found);
    close(ending.answers);
    waitpid(ending.process, nullptr, 0);
    return found;
}

}  // namespace

std::vector<memory_use> measure_memory(const std::vector<point>& points, bool idle) {
    // Nothing is freed meanwhile: memory at hand would not be taken anew.
    std::vector<memory_use> uses;
    std::vector<child> children;
    uses.reserve(points.size());
    children.reserve(points.size());
    for (const point& measured : points) {
        if (measured.of->peak_iterations > 0) {
            children.push_back(start(measured, idle));
            if (!idle) {
                uses.push_back(finish(children.back()));
            }
        }
    }
    while (uses.size() < children.size()) {
        uses.push_back(finish(children[uses.size()]));
    }
    return uses;
}

}  // namespace lab

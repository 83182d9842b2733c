#include "timeline.hpp"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "child.hpp"
#include "resident_memory.hpp"

namespace lab {

namespace {

double milliseconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) * 1e-3;
}

// Adds what the process has taken so far, or with a factor of -1 subtracts it.
void add_usage(timeline& to, int factor) {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    to.system += factor * milliseconds(usage.ru_stime);
    to.processor += factor * (milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime));
    to.faults += factor * usage.ru_minflt;
}

timeline follow_here(const point& followed) {
    const series& program = *followed.of;
    timeline found{.at = followed, .steps = program.steps};
    found.moments[0].resident = read_resident_memory().anonymous;
    const auto started = std::chrono::steady_clock::now();
    for (int number = 0; number < program.steps; ++number) {
        moment& after = found.moments[static_cast<std::size_t>(number) + 1];
        add_usage(found, -1);
        after.used = static_cast<long>(program.step(number, followed.x));
        add_usage(found, 1);
        const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - started;
        after.milliseconds = passed.count();
        after.resident = read_resident_memory().anonymous;
        found.peak = std::max(found.peak, after.resident);
    }
    found.peak = std::max(found.peak, read_peak_memory() - read_resident_memory().of_files);
    if (program.rest != nullptr) {
        program.rest();
    }
    malloc_trim(0);
    found.trimmed = read_resident_memory().anonymous;
    followed.clear();
    return found;
}

}  // namespace

std::vector<timeline> follow(const std::vector<point>& points) {
    std::vector<timeline> found;
    for (const point& each : points) {
        if (each.of->steps > 0) {
            const child following = start_child([&](int answers) { answer(answers, follow_here(each)); });
            found.push_back(finish<timeline>(following));
        }
    }
    return found;
}

}  // namespace lab

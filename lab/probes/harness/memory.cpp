#include "memory.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "child.hpp"
#include "resident_memory.hpp"

namespace lab {

namespace {

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
    found.peak = std::max(read_peak_memory() - then.of_files, then.anonymous) - before;
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

// Returns when the work is done, so that no two work at once.
child start(const point& measured, bool idle) {
    const child started = start_child(
        [&](int answers) { answer(answers, measure_here(measured, idle, [answers] { answer(answers, true); })); });
    bool done;
    hear(started.answers, done);
    return started;
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
                uses.push_back(finish<memory_use>(children.back()));
            }
        }
    }
    while (uses.size() < children.size()) {
        uses.push_back(finish<memory_use>(children[uses.size()]));
    }
    return uses;
}

}  // namespace lab

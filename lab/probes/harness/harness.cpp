#include "harness.hpp"

#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "counting.hpp"
#include "memory.hpp"
#include "thread_state.hpp"
#include "timing.hpp"
#include "usage_error.hpp"

namespace lab {

namespace {

// An answer is JSON on a line; no text in it holds a character that would have to be escaped.

void identify(const probe& probe) {
    std::printf("{\"compiler\": \"%s\", \"strategy\": \"%s\", \"library\": \"%s\"}\n", probe.compiler, probe.strategy,
                probe.library);
}

void tell_data_size(const probe& probe) {
    if (probe.measure_data_size == nullptr) {
        throw usage_error("there is no handle whose size could be told");
    }
    const data_size size = probe.measure_data_size();
    std::printf("{\"handle\": %d, \"control\": %.3f, \"altogether\": %.3f, \"allocations\": %d", size.handle,
                size.control, size.altogether, size.allocations);
    if (size.weak > 0) {
        std::printf(", \"weak\": %d", size.weak);
    }
    std::printf("}\n");
}

const workload& find_workload(const probe& probe, const std::string& name) {
    for (const workload& candidate : probe.workloads) {
        if (candidate.name == name) {
            return candidate;
        }
    }
    throw usage_error("there is no workload \"" + name + "\"");
}

// Prints the points of a workload, each with the figures that `tell` prints.
void tell_points(const workload& measured, const auto& found, const auto& tell) {
    std::printf("{\"checksum\": \"%llu\", \"points\": [", static_cast<unsigned long long>(measured.checksum()));
    const char* separator = "";
    for (const auto& each : found) {
        std::printf("%s{\"series\": \"%s\", \"x\": %d, ", separator, each.at.of->name, each.at.x);
        tell(each);
        std::printf("}");
        separator = ", ";
    }
    std::printf("]}\n");
}

void measure(const workload& measured, const command& asked) {
    const bool timing = asked.action == "time";
    std::vector<point> points = points_of(measured, asked.scale);
    if (asked.action == "memory") {
        return tell_points(measured, measure_memory(points), [](const memory_use& each) {
            std::printf("\"peak\": %ld, \"left\": %ld", each.peak, each.left);
            if (each.at.of->rest != nullptr) {
                std::printf(", \"resident\": %ld, \"idle\": %ld", each.resident, each.idle);
            }
            if (each.at.of->collections != nullptr) {
                std::printf(", \"collections\": %ld", each.collections.runs);
            }
            if (each.collections.longest_pause >= 0) {
                std::printf(", \"median_pause\": %ld, \"longest_pause\": %ld", each.collections.median_pause,
                            each.collections.longest_pause);
            }
        });
    }
    if (!timing || !asked.threaded) {
        std::erase_if(points, [](const point& each) { return each.starts_threads(); });
    }
    if (!timing) {
        std::erase_if(points, [](const point& each) { return each.of->tell != nullptr; });
    }
    const std::vector<measurement> measurements = timing ? time_points(points) : count_points(points);
    if (single_threaded() == asked.threaded) {
        throw std::runtime_error("the process was not in the thread state that was asked for");
    }
    tell_points(measured, measurements, [timing](const measurement& each) {
        std::printf("\"%s\": %.9g", timing ? "nanoseconds" : "iterations", each.value);
    });
}

// An answer for each workload, in the order in which they were asked for.
void measure_all(const probe& probe, const command& asked) {
    std::optional<parked_thread> second_thread;
    if (asked.threaded) {
        second_thread.emplace();
    }
    for (const std::string& name : asked.workloads) {
        measure(find_workload(probe, name), asked);
    }
}

}  // namespace

int run(const probe& probe, int argument_count, char** arguments) {
    try {
        const command asked = read_command_line(argument_count, arguments);
        if (asked.action == "identify") {
            identify(probe);
        } else if (asked.action == "data-size") {
            tell_data_size(probe);
        } else {
            measure_all(probe, asked);
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "probe_%s: %s\n", probe.strategy, error.what());
        return 2;
    }
}

}  // namespace lab

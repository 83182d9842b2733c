#include "harness.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "counting.hpp"
#include "memory.hpp"
#include "thread_state.hpp"
#include "timeline.hpp"
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
void tell_points(const workload& measured, auto&& found, const auto& tell) {
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

void tell_if_known(const char* name, std::optional<long> figure) {
    if (figure) {
        std::printf(", \"%s\": %ld", name, *figure);
    }
}

void measure(const workload& measured, const command& asked) {
    const bool timing = asked.action == "time";
    std::vector<point> points = points_of(measured, asked.scale);
    if (!timing || !asked.threaded) {
        std::erase_if(points, [](const point& each) { return each.starts_threads(); });
    }
    std::erase_if(points, [timing](const point& each) {
        return each.of->work == nullptr || (!timing && each.of->tell != nullptr);
    });
    const std::vector<measurement> measurements = timing ? time_points(points) : count_points(points);
    if (single_threaded() == asked.threaded) {
        throw std::runtime_error("the process was not in the thread state that was asked for");
    }
    tell_points(measured, measurements, [timing](const measurement& each) {
        std::printf("\"%s\": %.9g", timing ? "nanoseconds" : "iterations", each.value);
    });
}

// The memory of all workloads is measured before their checksums are made, which take memory.
void measure_memory_of(const std::vector<const workload*>& measured, const command& asked) {
    std::vector<point> points;
    for (const workload* each : measured) {
        std::ranges::copy(points_of(*each, asked.scale), std::back_inserter(points));
    }
    const std::vector<memory_use> uses = measure_memory(points, asked.idle);
    for (const workload* each : measured) {
        const auto is_of = [each](const memory_use& use) {
            return std::ranges::any_of(each->plot, [&use](const series& one) { return &one == use.at.of; });
        };
        tell_points(*each, std::views::filter(uses, is_of), [](const memory_use& use) {
            std::printf("\"peak\": %ld, \"left\": %ld", use.peak, use.left);
            tell_if_known("resident", use.resident);
            tell_if_known("idle", use.idle);
            tell_if_known("unfreed", use.unfreed);
            if (use.at.of->collections != nullptr) {
                std::printf(", \"collections\": %ld", use.collections.runs);
            }
            if (use.collections.longest_pause >= 0) {
                std::printf(", \"median_pause\": %ld, \"longest_pause\": %ld", use.collections.median_pause,
                            use.collections.longest_pause);
            }
        });
    }
}

void follow_memory_of(const workload& followed, const command& asked) {
    const std::vector<timeline> found = follow(points_of(followed, asked.scale));
    tell_points(followed, found, [](const timeline& each) {
        std::printf("\"moments\": [");
        for (std::size_t i = 0; i <= static_cast<std::size_t>(each.steps); ++i) {
            const auto& [milliseconds, used, resident] = each.moments[i];
            std::printf("%s{\"milliseconds\": %.3f, \"used\": %ld, \"resident\": %ld}", i == 0 ? "" : ", ",
                        milliseconds, used, resident);
        }
        std::printf("], \"peak\": %ld, \"trimmed\": %ld, \"processor\": %.3f, \"system\": %.3f, \"faults\": %ld",
                    each.peak, each.trimmed, each.processor, each.system, each.faults);
    });
}

// An answer for each workload, in the order in which they were asked for.
void measure_all(const probe& probe, const command& asked) {
    std::optional<parked_thread> second_thread;
    if (asked.threaded) {
        second_thread.emplace();
    }
    std::vector<const workload*> measured;
    for (const std::string& name : asked.workloads) {
        measured.push_back(&find_workload(probe, name));
    }
    if (asked.action == "memory") {
        return measure_memory_of(measured, asked);
    }
    for (const workload* each : measured) {
        asked.action == "timeline" ? follow_memory_of(*each, asked) : measure(*each, asked);
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

#pragma once
// What a workload is to the harness: series of points to measure, and a checksum that every strategy must reach.
// Plain functions and constant tables, because every strategy compiles them anew.

#include <cstddef>
#include <cstdint>
#include <span>

#include "collector_work.hpp"

namespace lab {

// What measures a series: the time that the processor gives the measuring thread, or all threads of the process; or the
// time that passes.
enum class clock { processor, process, wall };

// A line of a plot. `work` is what is measured; `prepare` and `finish` run before and after it, unmeasured.
struct series {
    const char* name;
    std::span<const int> sizes = {};  // the values of x; where there are none, x is the scale the user asked for
    void (*work)(int x, long iterations) = nullptr;

    // Whether the work is timed by one iteration: because it uses up what was prepared, or because it is long.
    bool once = false;

    // Whether the series before it has just done, at this x, what there is to warm up: then it is timed as it is.
    bool warm = false;

    // What is done before that iteration and after it.
    void (*prepare)(int x) = nullptr;
    void (*finish)() = nullptr;

    // The wall's only where the work is that of `x` threads, which it starts. It is then left out where the process
    // shall have one thread, and not counted: what threads execute while they wait for each other is never the same
    // twice.
    clock measured_by = clock::processor;

    // Only where the work leaves something that takes memory: frees it all, once the series is measured.
    void (*clear)() = nullptr;

    // Only where a large x takes long: whether x is for that scale.
    bool (*fits)(int x, int scale) = nullptr;

    // How many iterations are counted: more where what one of them leaves is done by a later one.
    long counted_iterations = 10;

    // The number of iterations that show how much memory the work takes; 0 if it is not measured.
    long peak_iterations = 0;

    // Only where memory is to come back, with peak_iterations: frees what lives, and keeps the arena. The memory that
    // is present is told before that, and when the process has idled after it.
    void (*rest)() = nullptr;

    // Only where the work takes its own time: what that is in nanoseconds, of its last run at x.
    double (*tell)(int x) = nullptr;

    // Only where what was replaced may be freed later, with peak_iterations: does the work at x with objects that are
    // counted. Returns the most that were replaced and not yet freed.
    long (*unfreed)(int x) = nullptr;

    // Only where memory is followed over time, instead of `work`: a program in `steps` steps, at most most_steps of
    // timeline.hpp. Does the one that is counted by `number`, from 0; `x` is the percentage of the whole program that
    // all do. Returns the bytes that the program then uses.
    int steps = 0;
    std::size_t (*step)(int number, int x) = nullptr;

    // Only where there is a garbage collector: what it has done since it was last asked.
    collector_work (*collections)() = nullptr;
};

// Whether x is no larger than the scale that the user asked for.
inline bool is_within(int x, int scale) { return x <= scale; }

struct workload {
    const char* name;
    std::span<const series> plot;
    std::uint64_t (*checksum)();  // called after the points have run
};

// What a header of a workload names `of<Strategy>`: found by that name, and made a `workload` of.
template <const auto& Plot, std::uint64_t (*Checksum)()>
struct measured {
    static constexpr std::span<const series> plot = Plot;
    static constexpr auto checksum = Checksum;
};

}  // namespace lab

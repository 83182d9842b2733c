#pragma once
// Follows the memory of programs over time.

#include <array>
#include <vector>

#include "point.hpp"

namespace lab {

inline constexpr int most_steps = 60;  // as many points as a line of a chart needs

// After a step, or before the first one.
struct moment {
    double milliseconds = 0;  // since the program began
    long used = 0;            // bytes that the program has written and not freed
    long resident = 0;        // bytes of its memory that are present, but for those of files
};

// Bytes are those of the process, what it had before the program began included. Times are those of all its threads, in
// milliseconds, and like the faults without what looking at the memory takes.
struct timeline {
    point at;
    int steps = 0;
    std::array<moment, most_steps + 1> moments = {};  // one more than there are steps
    long peak = 0;
    long trimmed = 0;      // present at the end, after malloc_trim(0) and what else gives memory back
    double processor = 0;  // the time that the program took
    double system = 0;     // the part of it that the system took for it
    long faults = 0;       // pages that the system had to provide
};

// Follows each point that has steps, one after the other and each in a process of its own.
std::vector<timeline> follow(const std::vector<point>&);

}  // namespace lab

#pragma once
// What a probe is asked to do.

#include <string>
#include <vector>

namespace lab {

struct command {
    std::string action;                  // identify, time, count, memory, timeline or data-size
    std::vector<std::string> workloads;  // of all but identify and data-size: one or more
    bool threaded = false;
    bool idle = false;    // of memory: whether to tell what is there after idling, too
    int scale = 300'000;  // of timeline: a percentage
};

// Throws usage_error if an argument is missing, unknown or malformed.
command read_command_line(int argument_count, char** arguments);

}  // namespace lab

#pragma once
// What a probe is asked to do.

#include <string>
#include <vector>

namespace lab {

struct command {
    std::string action;                  // identify, time, count, memory or data-size
    std::vector<std::string> workloads;  // of time, count and memory: one or more
    bool threaded = false;
    bool idle = false;  // of memory: whether to tell what is there after idling, too
    int scale = 300'000;
};

// Throws usage_error if an argument is missing, unknown or malformed.
command read_command_line(int argument_count, char** arguments);

}  // namespace lab

#pragma once
// Carries out a probe's command line: all that strategies have in common, compiled once.

#include <span>

#include "workload.hpp"

namespace lab {

// In bytes. `control` is heap memory beyond a raw `new` of the object; `altogether` includes the handle.
struct data_size {
    int handle;
    double control;
    double altogether;
    int allocations;  // blocks that are taken for an object and its first owner, from operator new or a pool
    int weak;         // a weak handle; 0 where there is none
};

struct probe {
    const char* compiler;
    const char* strategy;
    const char* library;
    std::span<const workload> workloads;
    data_size (*measure_data_size)();  // null where there is no handle
};

// Does what the command line asks and prints the answer, a JSON object on a line; one for each workload.
// Returns the exit code: 0, or 2 after one line on standard error.
int run(const probe&, int argument_count, char** arguments);

}  // namespace lab

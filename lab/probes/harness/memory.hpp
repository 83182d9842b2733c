#pragma once
// Measures the memory that points take.

#include <vector>

#include "point.hpp"

namespace lab {

// In bytes, beyond what the process held before.
struct memory_use {
    point at;
    long peak;
    long left;                   // after all was freed and cleared
    long resident;               // at the end of the work, where the series can rest; else negative
    long idle;                   // after its rest
    collector_work collections;  // where the series reports them
};

// Returns what each point takes for its peak iterations, if it names any: each in a process of its own, so that none
// finds what another has left.
std::vector<memory_use> measure_memory(const std::vector<point>&);

}  // namespace lab

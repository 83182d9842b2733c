#pragma once
// Measures the memory that points take.

#include <optional>
#include <vector>

#include "point.hpp"

namespace lab {

// In bytes, beyond what the process held before.
struct memory_use {
    point at;
    long peak = 0;
    long left = 0;                      // after all was freed and cleared
    std::optional<long> resident = {};  // at the end of the work, where the series can rest
    std::optional<long> idle = {};      // when it has rested and idled
    std::optional<long> unfreed = {};   // objects, where the series counts them
    collector_work collections = {};    // where the series reports them
};

// Returns what each point takes for its peak iterations, if it names any: each in a process of its own, so that none
// finds what another has left. With `idle`, what is present after idling is told, too: a process idles while others
// work.
std::vector<memory_use> measure_memory(const std::vector<point>&, bool idle);

}  // namespace lab

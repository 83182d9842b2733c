#pragma once
// The options of traced heaps that a test of objects in one is to pass with: collections as often as can be, pauses of
// all lengths, a conservative stack, and none of these.

#include <freehold/traced/traced_heap_options.hpp>

#include <cstddef>
#include <vector>

namespace support {

inline std::vector<freehold::traced_heap_options> traced_options() {
    std::vector<freehold::traced_heap_options> all(1);
    for (const std::size_t budget : {8U, 64U, 8192U}) {
        all.emplace_back();
        all.back().pause_budget = budget;
        all.back().nursery_bytes = all.back().max_nursery_bytes = all.back().min_full_bytes = 1;
    }
    all.emplace_back();
    all.back().collect_at_every_allocation = true;
    all.push_back(all.back());
    all.back().conservative_stack = true;
    return all;
}

}  // namespace support

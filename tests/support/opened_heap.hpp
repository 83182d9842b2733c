#pragma once
// collector_of(heap): the collector of a traced_heap, for tests that decide when the steps of a marking cycle come.
//
// In one place of the test, outside of functions, with a type of its own:
//     template struct support::opened_heap<&freehold::traced_heap::collector_, some_type>;
// An explicit instantiation may name private members.

#include <freehold/traced/traced_heap.hpp>

namespace support {

freehold::detail::traced_collector& collector_of(freehold::traced_heap& heap) noexcept;

template <auto Collector, class>
struct opened_heap {
    friend freehold::detail::traced_collector& collector_of(freehold::traced_heap& heap) noexcept {
        return heap.*Collector;
    }
};

// Effects: goes on with the cycle in progress until it has ended and is swept, one object a step.
// Returns: false if it does not end.
inline bool finish_cycle(freehold::traced_heap& heap) {
    freehold::detail::traced_collector& collector = collector_of(heap);
    for (int i = 0; i < 10'000 && collector.has_steps(); ++i) {
        collector.step(1);
        if (i % 10 == 9) heap.collect_young();
    }
    return !collector.has_steps();
}

}  // namespace support

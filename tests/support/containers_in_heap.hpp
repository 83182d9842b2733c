#pragma once
// What the tests of containers in a traced heap have in common.

#include <freehold/traced/traced_heap.hpp>

#include "tracked.hpp"

namespace support {

class containers_in_heap : public tracked_test {
public:
    static freehold::traced_heap_options often() {
        freehold::traced_heap_options options;
        options.collect_at_every_allocation = true;
        return options;
    }

    // Returns: how many tracked objects live after a full collection.
    static int alive(freehold::traced_heap& heap) {
        heap.collect();
        return tracked::alive();
    }
};

}  // namespace support

#pragma once
// summed_at_end: an object whose owners write to it with plain instructions, each at a place of its own. The thread
// that destroys it must see what the others wrote.

#include <gtest/gtest.h>

#include "tracked.hpp"

namespace support {

struct summed_at_end : tracked {
    static constexpr int writers = 4;

    ~summed_at_end() { EXPECT_EQ(values[0] + values[1] + values[2] + values[3], sum_at_end); }

    int values[writers] = {};
    int sum_at_end = 0;
};

}  // namespace support

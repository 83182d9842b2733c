#pragma once
// paired_value: an object of two halves, written with plain instructions: who is given one must see it whole.

#include "tracked.hpp"

namespace support {

struct paired_value : tracked {
    explicit paired_value(int initial = 0) : value(initial), again(initial) {}
    ~paired_value() { value = -1; }

    int value;
    int again;
};

}  // namespace support

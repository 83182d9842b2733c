#pragma once
// Runs points under callgrind, so that what they execute can be counted.

#include <vector>

#include "point.hpp"

namespace lab {

// Collects every point twice, with different numbers of iterations: the difference of the two dumps is what those
// iterations execute, without the call around them. Returns the iterations in each dump, in the order of the dumps.
// Throws usage_error unless the process runs under valgrind.
std::vector<measurement> count_points(const std::vector<point>&);

}  // namespace lab

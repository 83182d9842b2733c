#pragma once
// Times points on Google Benchmark.

#include <vector>

#include "point.hpp"

namespace lab {

// Returns the nanoseconds of one iteration at each point, on the clock of its series: the median over the batches.
std::vector<measurement> time_points(const std::vector<point>&);

}  // namespace lab

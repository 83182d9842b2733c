#pragma once
// What a probe can do that only a whole run measures. It is half of what there is to compile.

#include <vector>

#include "harness/workload.hpp"

namespace lab {

// None in a probe that is built for a quick run (nothing_more.cpp).
std::vector<workload> only_whole();

}  // namespace lab

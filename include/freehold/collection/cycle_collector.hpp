#pragma once
// Moved to cyclic/cycle_collector.hpp; removed in 1.0.

#include "../cyclic/cycle_collector.hpp"

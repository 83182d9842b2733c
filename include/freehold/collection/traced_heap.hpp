#pragma once
// Moved to traced/traced_heap.hpp; removed in 1.0.

#include "../traced/traced_heap.hpp"

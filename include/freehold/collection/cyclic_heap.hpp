#pragma once
// Moved to cyclic/cyclic_heap.hpp; removed in 1.0.

#include "../cyclic/cyclic_heap.hpp"

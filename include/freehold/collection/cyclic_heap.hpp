#pragma once
// Moved; this name goes with 1.0.

#include "../cyclic/cyclic_heap.hpp"

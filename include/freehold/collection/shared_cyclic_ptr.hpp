#pragma once
// Moved; this name goes with 1.0.

#include "../cyclic/concurrent_cyclic_ptr.hpp"

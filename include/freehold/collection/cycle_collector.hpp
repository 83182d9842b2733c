#pragma once
// Moved; this name goes with 1.0.

#include "../cyclic/cycle_collector.hpp"

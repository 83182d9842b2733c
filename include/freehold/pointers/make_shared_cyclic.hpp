#pragma once
// Moved; this name goes with 1.0.

#include "make_shared_with_weak.hpp"

#pragma once
// Boehm's garbage collector, incremental and generational: it collects in steps, and finds what was written since by
// protecting pages.

#include "boehm.hpp"

namespace lab {

struct strategy : collected_by_boehm<true> {};

}  // namespace lab

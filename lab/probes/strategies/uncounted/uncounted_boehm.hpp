#pragma once
// Boehm's garbage collector, which finds by itself what can no longer be reached.

#include "boehm.hpp"

namespace lab {

struct strategy : collected_by_boehm<false> {};

}  // namespace lab

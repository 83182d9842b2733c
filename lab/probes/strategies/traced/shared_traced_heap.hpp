#pragma once
// Traced, shared heap: freehold::traced_ptr in a shared_traced_heap.

#include "in_shared_traced_heap.hpp"

namespace lab {

inline void keep_options(freehold::traced_heap_options&) {}

struct strategy : in_shared_traced_heap<keep_options> {};

}  // namespace lab

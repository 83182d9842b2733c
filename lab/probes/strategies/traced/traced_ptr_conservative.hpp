#pragma once
// Traced, conservative stack: the collector looks for pointers in the whole stack, so that variables need not be roots.

#include "in_traced_heap.hpp"

namespace lab {

inline void scan_the_stack(freehold::traced_heap_options& options) { options.conservative_stack = true; }

struct strategy : in_traced_heap<scan_the_stack> {
    // A variable that keeps an object alive.
    template <class T>
    using local = freehold::traced_view<T>;
};

}  // namespace lab

#pragma once
// Traced: freehold::traced_ptr, one word that leads to an object of a traced_heap, which finds by marking what can no
// longer be reached.

#include "in_traced_heap.hpp"

namespace lab {

inline void as_it_comes(freehold::traced_heap_options&) {}

struct strategy : in_traced_heap<as_it_comes> {
    // A variable that keeps an object alive.
    template <class T>
    using local = freehold::traced_local<T>;
};

}  // namespace lab

#pragma once
// Traced, bounded pauses: full collections are done in steps while the program goes on.

#include <cstddef>

#include "in_traced_heap.hpp"

namespace lab {

inline constexpr std::size_t objects_of_a_pause = 8 * 1024;  // near a millisecond

inline void bound_pauses(freehold::traced_heap_options& options) { options.pause_budget = objects_of_a_pause; }

struct strategy : in_traced_heap<bound_pauses> {
    // A variable that keeps an object alive.
    template <class T>
    using local = freehold::traced_local<T>;
};

}  // namespace lab

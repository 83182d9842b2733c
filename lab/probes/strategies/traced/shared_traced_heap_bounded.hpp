#pragma once
// Traced, shared heap, bounded pauses: a helper marks while the threads go on.

#include <cstddef>

#include "in_shared_traced_heap.hpp"

namespace lab {

inline constexpr std::size_t objects_of_a_pause = 8 * 1024;  // near a millisecond

inline void bound_pauses(freehold::traced_heap_options& options) { options.pause_budget = objects_of_a_pause; }

struct strategy : in_shared_traced_heap<bound_pauses> {};

}  // namespace lab

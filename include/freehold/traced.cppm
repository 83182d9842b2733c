// Traced heaps and their pointers as a module.

module;

#include "traced.hpp"

export module freehold.traced;

export import freehold.memory;
export import freehold.tracing;

export namespace freehold {
using freehold::atomic_traced_ptr;
using freehold::ephemeron;
using freehold::operator<<;
using freehold::operator<=>;
using freehold::operator==;
using freehold::shared_traced_heap;
using freehold::swap;
using freehold::traced_array;
using freehold::traced_collection;
using freehold::traced_deque;
using freehold::traced_frame;
using freehold::traced_heap;
using freehold::traced_heap_options;
using freehold::traced_local;
using freehold::traced_map;
using freehold::traced_pause;
using freehold::traced_promise;
using freehold::traced_ptr;
using freehold::traced_root;
using freehold::traced_root_vector;
using freehold::traced_unordered_map;
using freehold::traced_vector;
using freehold::traced_view;
using freehold::traced_weak_ptr;
}  // namespace freehold

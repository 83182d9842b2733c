// Cyclic pointers and their collectors as a module.

module;

#include "cyclic.hpp"

export module freehold.cyclic;

export import freehold.memory;
export import freehold.tracing;

export namespace freehold {
using freehold::basic_cyclic_heap;
using freehold::basic_heap_domain;
using freehold::concurrent_cyclic_ptr;
using freehold::concurrent_cyclic_weak_ptr;
using freehold::const_pointer_cast;
using freehold::cycle_collector;
using freehold::cyclic_collection;
using freehold::cyclic_from_this;
using freehold::cyclic_heap;
using freehold::cyclic_ptr;
using freehold::cyclic_weak_ptr;
using freehold::dynamic_pointer_cast;
using freehold::heap_domain;
using freehold::make_cyclic;
using freehold::may_be_in_cycle;
using freehold::operator<<;
using freehold::operator<=>;
using freehold::operator==;
using freehold::parent_ptr;
using freehold::static_pointer_cast;
using freehold::swap;
using freehold::thread_domain;
}  // namespace freehold

#pragma once
// concurrent_cyclic_weak_ptr<T>: observes an object that concurrent_cyclic_ptrs own, and does not keep it alive.
//
// It is cyclic_weak_ptr for the objects of a cyclic_heap, and expires as that does. Any session may lock it while
// others release the last owner or collect.
//
// Thread safety: that of concurrent_cyclic_ptr; copying, dropping and expired() take no session.
// Exceptions: only making the first observer of an object may throw. Complexity: constant on average.
// Cost: one word; a record for each object that is observed, with a mutex that lock() takes, and a place in a table of
// the heap until the object ends.

#include "concurrent_cyclic_ptr.hpp"
#include "cyclic_weak_ptr.hpp"

namespace freehold {

template <class T>
using concurrent_cyclic_weak_ptr = cyclic_weak_ptr<T, detail::heap_domain>;

}  // namespace freehold

#pragma once
// concurrent_cyclic_weak_ptr<T>: cyclic_weak_ptr for the objects of a cyclic_heap.
//
// It expires as that does. Any session may lock it while others release the last owner or collect.
//
// Thread safety: that of concurrent_cyclic_ptr; copying, destroying and expired() need no session.
// Exceptions: only the first weak pointer to an object may throw. Complexity: constant on average.
// Cost: one word; for each object with weak pointers a record with a mutex, which lock() takes, and a place in a table
// of the heap until the object is destroyed.
//
// It is declared in ../fwd.hpp.

#include "concurrent_cyclic_ptr.hpp"
#include "cyclic_weak_ptr.hpp"
#include "detail/heap_domain.hpp"

#pragma once
// concurrent_cyclic_ptr<T>: what cyclic_ptr is in one thread, for objects of a heap that several threads share.
//
// cyclic_heap::make makes what it owns. It is cyclic_ptr in all but who may use it: see cyclic_heap, and cyclic_ptr for
// everything else.
//
// Thread safety: objects may be owned and used by all threads that have a session in their heap, and only by those;
// the pointer itself is, like any other, written by one thread at a time. Without a session it may be kept, and not
// copied, moved, dropped or followed unless it is empty; without NDEBUG this is checked.
// Exceptions: none. Complexity: that of cyclic_ptr. Cost: one word; 16 bytes before each object. The session that made
// an object copies and releases as cheaply as cyclic_ptr but for finding that out; others take a locked instruction.

#include "cyclic_ptr.hpp"
#include "detail/heap_domain.hpp"

namespace freehold {

template <class T>
using concurrent_cyclic_ptr = cyclic_ptr<T, detail::heap_domain>;

}  // namespace freehold

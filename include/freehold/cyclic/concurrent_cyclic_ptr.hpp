#pragma once
// concurrent_cyclic_ptr<T>: cyclic_ptr for the objects of a cyclic_heap, which several threads share.
//
// cyclic_heap::make makes its objects. It differs from cyclic_ptr only in its threads; see cyclic_heap.
//
// Thread safety: all threads with a session in the heap, and only those, may own and use its objects. As with any
// pointer, one thread at a time writes the pointer itself. A thread without a session may keep a pointer, but not copy,
// move, release or follow it unless it is empty; without NDEBUG this is checked.
// Exceptions: none. Complexity: that of cyclic_ptr. Cost: one word; 8 bytes before each object, and 8 at the end of its
// block. In the session that made the object a copy looks the block up and counts plainly; in others it is a locked
// instruction.
//
// It is declared in ../fwd.hpp.

#include "cyclic_ptr.hpp"
#include "detail/heap_domain.hpp"

#pragma once
// local_shared_ptr<T>: a shared_ptr for one thread, which counts with plain instructions. local_weak_ptr<T> with it.
//
// Thread safety: all owners and weak pointers of one object must be in one thread at a time; a group of objects may
// move from thread to thread as a whole.
// Exceptions, complexity: those of shared_ptr. Cost: the same, but no function executes a locked operation.
//
// Both are declared in ../fwd.hpp.

#include "../counting/plain_counting.hpp"
#include "make_shared.hpp"
#include "shared_ptr.hpp"
#include "weak_ptr.hpp"

// Effects, Returns, Throws: those of make_shared and its siblings, for objects that are counted by plain instructions.
// Each overload, with its contract, is in detail/make_family.hpp.
#define FREEHOLD_MAKE make_local_shared
#define FREEHOLD_MAKE_FOR_OVERWRITE make_local_shared_for_overwrite
#define FREEHOLD_ALLOCATE allocate_local_shared
#define FREEHOLD_ALLOCATE_FOR_OVERWRITE allocate_local_shared_for_overwrite
#define FREEHOLD_COUNTING plain_counting
#include "detail/make_family.hpp"

#pragma once
// What is per thread, where a fiber goes on in another thread.

// FREEHOLD_PER_THREAD before a function that uses thread-local variables and may become part of a user's function.
// FREEHOLD_PER_THREAD_ACCESS before one that only reads or counts one; it returns no address of it.
//
// A user's function may switch fibers, and go on in another thread. Compilers take the address of a thread-local
// variable for a constant, and keep it in a register across calls. On x86 they have no use for that: a segment register
// addresses the variable. On other processors they do, and the variable would be that of the thread before. There such
// a function is not inlined.
#include "../config.hpp"

#if defined(__x86_64__) || defined(__i386__)
#define FREEHOLD_PER_THREAD
#define FREEHOLD_PER_THREAD_ACCESS FREEHOLD_ALWAYS_INLINE
#else
#define FREEHOLD_PER_THREAD FREEHOLD_NOINLINE
#define FREEHOLD_PER_THREAD_ACCESS FREEHOLD_NOINLINE
#endif

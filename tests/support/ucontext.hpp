#pragma once
// <ucontext.h>, to make fibers, for a C library that has swapcontext: glibc.

#include <cstddef>  // defines __GLIBC__

#ifdef __GLIBC__
#include <ucontext.h>
#endif

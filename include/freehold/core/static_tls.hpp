#pragma once
// Thread-local variables that are found without a call.

#if defined(__PIC__) && !defined(__PIE__)
// In a shared library: they take static room in each thread, a few hundred bytes in all, and spare a call for each use
// (68 instructions become 39 in making and destroying a shared object, g++ 12).
#define FREEHOLD_STATIC_TLS [[gnu::tls_model("initial-exec")]]
#else
#define FREEHOLD_STATIC_TLS
#endif

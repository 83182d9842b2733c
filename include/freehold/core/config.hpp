#pragma once
// What the compiler and the system that a program is built for offer: the language, and attributes that not every
// compiler has.

// One clear line for compilers that are told to compile older C++.
#if __cplusplus < 202002L
#error "Freehold needs C++20: compile this file with -std=c++20 or later"
#endif

// FREEHOLD_STATIC_TLS: a thread-local variable that is accessed without a call.
#if defined(__PIC__) && !defined(__PIE__)
// In a shared library these variables take static TLS in each thread, a few hundred bytes in all, and each access saves
// a call (68 instructions become 39 for making and destroying a shared object, g++ 12).
#define FREEHOLD_STATIC_TLS [[gnu::tls_model("initial-exec")]]
#else
#define FREEHOLD_STATIC_TLS
#endif

// FREEHOLD_LIFETIME_BOUND after a parameter: the result, or the constructed object, refers to that argument. clang then
// warns if the argument is a temporary that is destroyed earlier.
#if defined(__clang__)
#define FREEHOLD_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define FREEHOLD_LIFETIME_BOUND
#endif

// FREEHOLD_TRIVIAL_ABI lets clang pass small owners in registers, if FREEHOLD_PASS_IN_REGISTERS is defined.
//
// A trivially relocatable class can be passed by value in registers if the called function runs its destructor. clang
// has an attribute for it, g++ has not. It changes the calling convention, also of the library's inline functions, so
// clang must compile all of a program with the same setting.
#if defined(FREEHOLD_PASS_IN_REGISTERS) && defined(__clang__)
#define FREEHOLD_TRIVIAL_ABI [[clang::trivial_abi]]
#else
#define FREEHOLD_TRIVIAL_ABI
#endif

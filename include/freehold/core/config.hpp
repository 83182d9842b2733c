#pragma once
// The language, the system and the processor that a program is built for, and attributes that not every compiler has.
//
// Whatever else asks the system or the processor is in core/platform/. Each header there documents an interface that
// knows no system, and then has what Linux does for it. Another system is chosen here, and gets a second file for each
// of those headers; no other header changes.

// For compilers that are told to compile older C++: a header that does not exist. They stop there, while after an
// #error they go on through all that they do not understand.
#if __cplusplus < 202002L
#include <freehold_needs_cplusplus_20_compile_with_std_c++20>
#endif

#if defined(__linux__)
#define FREEHOLD_LINUX 1
#else
#error "Freehold needs Linux: include/freehold/core/platform/ has no other system yet"
#endif

// FREEHOLD_SYMBOL(name) after a variable: what the linker calls it.
#define FREEHOLD_SYMBOL(name) __asm__(name)

// FREEHOLD_PRETEND_USE(value): the compiler takes the value for one that is used, and what it points to for known
// elsewhere. FREEHOLD_PRETEND_ACCESS(): it takes this for an access to all memory, so that no call before is a tail
// call. Neither is an instruction.
#define FREEHOLD_PRETEND_USE(value) __asm__ volatile("" : : "r"(value))
#define FREEHOLD_PRETEND_ACCESS() __asm__ volatile("" : : : "memory")

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

namespace freehold::inline v0_2::detail {

// Whether FREEHOLD_HARDENED is defined, in all files of a program or in none. The one predicate for what only a
// hardened program does. The macro itself is asked where a header would bring others, or a symbol has another name.
#ifdef FREEHOLD_HARDENED
inline constexpr bool is_hardened = true;
#else
inline constexpr bool is_hardened = false;
#endif

static_assert(sizeof(void*) == 4 || sizeof(void*) == 8, "Freehold needs addresses of 32 or 64 bits");

}  // namespace freehold::detail

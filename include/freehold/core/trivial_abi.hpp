#pragma once
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

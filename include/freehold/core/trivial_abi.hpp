#pragma once
// Lets clang pass small owners in registers, where FREEHOLD_PASS_IN_REGISTERS is defined.
//
// A class whose move is a copy of its bytes that forgets the source may be passed by value in registers, if its
// destructor runs in the called function. clang has an attribute for it, g++ has not. It changes how functions are
// called, also those of the library that the linker merges, so it is for programs of which clang compiles every part
// with the same setting.

#if defined(FREEHOLD_PASS_IN_REGISTERS) && defined(__clang__)
#define FREEHOLD_TRIVIAL_ABI [[clang::trivial_abi]]
#else
#define FREEHOLD_TRIVIAL_ABI
#endif

#pragma once
// FREEHOLD_LIFETIME_BOUND after a parameter: the result, or the constructed object, refers to that argument. clang then
// warns if the argument is a temporary that is destroyed earlier.

#if defined(__clang__)
#define FREEHOLD_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define FREEHOLD_LIFETIME_BOUND
#endif

#pragma once
// FREEHOLD_LIFETIME_BOUND after a parameter: what the function returns, or constructs, refers to that argument. clang
// then warns where a temporary is bound that ends before what refers to it.

#if defined(__clang__)
#define FREEHOLD_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define FREEHOLD_LIFETIME_BOUND
#endif

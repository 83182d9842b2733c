#pragma once
// One clear line for compilers that are told to compile older C++.

#if __cplusplus < 202002L
#error "Freehold needs C++20: compile this file with -std=c++20 or later"
#endif

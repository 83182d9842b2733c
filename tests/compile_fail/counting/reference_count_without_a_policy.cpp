// expect: constraint(s not satisfied| failure) for
// at most 46 lines: g++ explains each requirement of the concept.
// A count is written over a counting policy.
#include <freehold/counting/reference_count.hpp>

freehold::reference_count<int> count;

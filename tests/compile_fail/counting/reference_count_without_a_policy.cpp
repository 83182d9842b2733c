// expect: constraint(s not satisfied| failure) for
// A count is written over a counting policy.
#include <freehold/counting/reference_count.hpp>

freehold::reference_count<int> count;

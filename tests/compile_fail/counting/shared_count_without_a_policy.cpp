// expect: constraint(s not satisfied| failure) for
// A count is written over a counting policy.
#include <freehold/counting/shared_count.hpp>

freehold::shared_count<int> count;

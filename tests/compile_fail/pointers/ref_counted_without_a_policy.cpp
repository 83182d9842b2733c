// expect: constraint(s not satisfied| failure) for
// at most 46 lines: g++ explains each requirement of the concept.
// A count is written over a counting policy.
#include <freehold/pointers/ref_counted.hpp>

struct node : freehold::ref_counted<node, int> {};

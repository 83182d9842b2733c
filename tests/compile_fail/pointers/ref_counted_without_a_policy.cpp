// expect: constraint(s not satisfied| failure) for
// A count is written over a counting policy.
#include <freehold/pointers/ref_counted.hpp>

struct node : freehold::ref_counted<node, int> {};

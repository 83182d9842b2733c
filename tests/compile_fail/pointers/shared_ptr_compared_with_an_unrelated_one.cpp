// expect: comparison (between|of) distinct pointer types
// They can never be equal.
#include <freehold/pointers/shared_ptr.hpp>

bool same(const freehold::shared_ptr<int>& a, const freehold::shared_ptr<double>& b) { return a == b; }

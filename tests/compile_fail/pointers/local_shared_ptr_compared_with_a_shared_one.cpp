// expect: deleted operator|deleted function .*operator==
// at most 46 lines: clang lists all operators.
// Their owners are counted apart: if they are equal, one of them is wrong.
#include <freehold/pointers/local_shared_ptr.hpp>

bool same(const freehold::shared_ptr<int>& a, const freehold::local_shared_ptr<int>& b) { return a == b; }

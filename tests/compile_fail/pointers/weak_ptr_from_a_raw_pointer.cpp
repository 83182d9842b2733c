// expect: no matching (function for call to|constructor for).*weak_ptr<int>
// at most 140 lines: the compiler lists all constructors.
// Only an owned object has weak pointers.
#include <freehold/pointers/weak_ptr.hpp>

void watch(int* object) { freehold::weak_ptr<int> weak(object); }

// expect: no matching (function for call to|constructor for).*weak_ptr<int>
// Only an owned object has weak pointers.
#include <freehold/pointers/weak_ptr.hpp>

void watch(int* object) { freehold::weak_ptr<int> weak(object); }

// expect: (use of deleted function .*|call to deleted constructor of .*)weak_ptr
// Only an owned object has weak pointers.
#include <freehold/pointers/weak_ptr.hpp>

void watch(int* object) { freehold::weak_ptr<int> weak(object); }

// expect: no (match|viable overloaded)
// at most 52 lines: the compiler explains why each constructor is not one for this.
// Ownership is never taken silently.
#include <freehold/pointers/shared_ptr.hpp>

void own(freehold::shared_ptr<int>& p, int* object) { p = object; }

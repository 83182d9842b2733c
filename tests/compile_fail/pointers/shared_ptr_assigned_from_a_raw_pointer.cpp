// expect: no (match|viable overloaded)
// Ownership is never taken silently.
#include <freehold/pointers/shared_ptr.hpp>

void own(freehold::shared_ptr<int>& p, int* object) { p = object; }

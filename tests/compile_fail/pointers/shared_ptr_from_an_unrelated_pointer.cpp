// expect: no matching (function for call to|constructor for).*shared_ptr<int>
// at most 180 lines: the compiler lists all constructors.
// A double is no int.
#include <freehold/pointers/shared_ptr.hpp>

void own(double* object) { freehold::shared_ptr<int> p(object); }

// expect: deleted (function .*pointer_does_not_convert|constructor of .*shared_ptr<int>)
// A double is no int.
#include <freehold/pointers/shared_ptr.hpp>

void own(double* object) { freehold::shared_ptr<int> p(object); }

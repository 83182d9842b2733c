// expect: (use of deleted function .*|call to deleted constructor of .*)shared_ptr
// A double is no int.
#include <freehold/pointers/shared_ptr.hpp>

void own(double* object) { freehold::shared_ptr<int> p(object); }

// expect: use of deleted function .*shared_ptr.*operator=|selected deleted operator .=.
// Ownership is never taken silently.
#include <freehold/pointers/shared_ptr.hpp>

void own(freehold::shared_ptr<int>& p, int* object) { p = object; }

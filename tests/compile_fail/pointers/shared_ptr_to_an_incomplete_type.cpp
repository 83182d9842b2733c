// expect: incomplete type
// Deleting what is not known to have a destructor would not call it.
#include <freehold/pointers/shared_ptr.hpp>

struct incomplete;

void own(incomplete* object) { freehold::shared_ptr<incomplete> p(object); }

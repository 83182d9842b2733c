// expect: incomplete type
// Deleting what is not known to have a destructor would not call it.
#include <freehold/pointers/linked_ptr.hpp>

struct incomplete;

void own(incomplete* object) { freehold::linked_ptr<incomplete> p(object); }

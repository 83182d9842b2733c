// expect: incomplete type
// As for one object.
#include <freehold/pointers/shared_ptr.hpp>

struct incomplete;

void own(incomplete* array) { freehold::shared_ptr<incomplete[]> p(array); }

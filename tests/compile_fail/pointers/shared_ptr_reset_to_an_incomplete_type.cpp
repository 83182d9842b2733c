// expect: incomplete type
// As in the constructor.
#include <freehold/pointers/shared_ptr.hpp>

struct incomplete;

void own(freehold::shared_ptr<incomplete>& p, incomplete* object) { p.reset(object); }

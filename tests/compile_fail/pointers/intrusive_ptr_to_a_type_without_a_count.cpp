// expect: intrusive_ptr_(add_ref|release)
// An object must bring its count.
#include <freehold/pointers/intrusive_ptr.hpp>

struct uncounted {};

void own(uncounted* object) { freehold::intrusive_ptr<uncounted> p(object); }

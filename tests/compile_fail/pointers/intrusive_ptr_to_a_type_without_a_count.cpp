// expect: freehold: an intrusive_ptr<T> needs a count in T: derive T from ref_counted<T>
// An object must bring its count.
#include <freehold/pointers/intrusive_ptr.hpp>

struct uncounted {};

void own(uncounted* object) { freehold::intrusive_ptr<uncounted> p(object); }

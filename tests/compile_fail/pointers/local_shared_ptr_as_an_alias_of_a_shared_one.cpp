// expect: no matching (function for call to|constructor for).*shared_ptr<int
// at most 180 lines: the compiler lists all constructors.
// One object can be counted in one way only.
#include <freehold/pointers/local_shared_ptr.hpp>

void share(const freehold::shared_ptr<int>& object) { freehold::local_shared_ptr<int> p(object, object.get()); }

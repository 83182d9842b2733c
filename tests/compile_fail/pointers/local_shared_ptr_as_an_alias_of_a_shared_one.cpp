// expect: (use of deleted function .*|call to deleted constructor of .*)shared_ptr
// One object can be counted in one way only.
#include <freehold/pointers/local_shared_ptr.hpp>

void share(const freehold::shared_ptr<int>& object) { freehold::local_shared_ptr<int> p(object, object.get()); }

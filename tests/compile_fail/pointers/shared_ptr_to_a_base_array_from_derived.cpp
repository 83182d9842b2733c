// expect: (use of deleted function .*|call to deleted constructor of .*)shared_ptr
// Elements of derived are further apart than those of base.
#include <freehold/pointers/shared_ptr.hpp>

struct base {};
struct derived : base {};

void own(derived* array) { freehold::shared_ptr<base[]> p(array); }

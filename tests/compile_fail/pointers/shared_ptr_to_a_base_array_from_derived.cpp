// expect: deleted (function .*pointer_does_not_convert|constructor of .*shared_ptr<base *\[\]>)
// Elements of derived are further apart than those of base.
#include <freehold/pointers/shared_ptr.hpp>

struct base {};
struct derived : base {};

void own(derived* array) { freehold::shared_ptr<base[]> p(array); }

// expect: no matching (function for call to|constructor for).*shared_ptr<base *\[\]>
// at most 180 lines: the compiler lists all constructors.
// Elements of derived are further apart than those of base.
#include <freehold/pointers/shared_ptr.hpp>

struct base {};
struct derived : base {};

void own(derived* array) { freehold::shared_ptr<base[]> p(array); }

// expect: (conversion|convert) .*cyclic_ptr<derived>
// at most 46 lines: clang explains why each constructor is not one for this.
#include <freehold/cyclic/cyclic_ptr.hpp>

struct base {};
struct derived : base {};

freehold::cyclic_ptr<base> convert(const freehold::cyclic_ptr<derived>& p) { return p; }

// expect: (conversion|convert) .*cyclic_ptr<derived>
#include <freehold/cyclic/cyclic_ptr.hpp>

struct base {};
struct derived : base {};

freehold::cyclic_ptr<base> convert(const freehold::cyclic_ptr<derived>& p) { return p; }

// expect: (conversion|convert) .*cyclic_ptr<derived>
// at most 46 lines: clang explains why each constructor is not one for this.
#include <freehold/cyclic/cyclic_ptr.hpp>

struct first {
    virtual ~first() = default;
};
struct second {
    virtual ~second() = default;
};
struct derived : first, second {};

freehold::cyclic_ptr<second> convert(const freehold::cyclic_ptr<derived>& p) { return p; }

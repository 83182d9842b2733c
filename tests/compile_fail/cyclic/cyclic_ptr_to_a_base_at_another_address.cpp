// expect: (conversion|convert) .*cyclic_ptr<derived>
#include <freehold/cyclic/cyclic_ptr.hpp>

struct first {
    virtual ~first() = default;
};
struct second {
    virtual ~second() = default;
};
struct derived : first, second {};

freehold::cyclic_ptr<second> convert(const freehold::cyclic_ptr<derived>& p) { return p; }

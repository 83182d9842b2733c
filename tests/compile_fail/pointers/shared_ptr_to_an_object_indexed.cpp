// expect: no match for 'operator\[\]|does not provide a subscript operator|no viable overloaded operator\[\]
// One object has no elements.
#include <freehold/pointers/shared_ptr.hpp>

int use(const freehold::shared_ptr<int>& p) { return p[0]; }

// expect: no match for 'operator[*]|indirection requires|invalid (operands|argument type)
// An array has elements and no value.
#include <freehold/pointers/shared_ptr.hpp>

int use(const freehold::shared_ptr<int[]>& p) { return *p; }

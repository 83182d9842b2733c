// expect: no match for 'operator[*]|indirection requires|invalid (operands|argument type)
// The object may be destroyed meanwhile: lock first.
#include <freehold/pointers/weak_ptr.hpp>

int use(const freehold::weak_ptr<int>& weak) { return *weak; }

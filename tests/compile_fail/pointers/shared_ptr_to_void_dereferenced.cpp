// expect: no match for 'operator[*]|indirection requires|invalid (operands|argument type)
// There is no such reference.
#include <freehold/pointers/shared_ptr.hpp>

void use(const freehold::shared_ptr<void>& p) { *p; }

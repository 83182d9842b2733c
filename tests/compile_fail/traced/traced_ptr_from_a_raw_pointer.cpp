// expect: (conversion from .int ?\*. to non-scalar type|no viable conversion from .int ?\*.)
#include <freehold/traced/traced_ptr.hpp>

int number = 1;
freehold::traced_ptr<int> pointer = &number;

// expect: cyclic_ptr owns a single object
#include <freehold/cyclic/cyclic_ptr.hpp>

freehold::cyclic_ptr<int[]> p;

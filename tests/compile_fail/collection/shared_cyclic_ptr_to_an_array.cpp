// expect: cyclic_ptr owns a single object
#include <freehold/collection/shared_cyclic_ptr.hpp>

freehold::shared_cyclic_ptr<int[]> p;

// expect: cyclic_ptr owns a single object
#include <freehold/cyclic/concurrent_cyclic_ptr.hpp>

freehold::concurrent_cyclic_ptr<int[]> p;

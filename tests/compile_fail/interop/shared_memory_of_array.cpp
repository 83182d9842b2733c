// expect: no arrays
#include <freehold/interop/shared_memory.hpp>

auto make(freehold::shared_memory::pool& pool) { return freehold::shared_memory::make_shared<int[2]>(pool); }

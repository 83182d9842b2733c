// expect: shared memory is aligned to 16 bytes
#include <freehold/interop/shared_memory.hpp>

struct alignas(64) object {
    int value;
};

auto make(freehold::shared_memory::pool& pool) { return freehold::shared_memory::make_shared<object>(pool); }

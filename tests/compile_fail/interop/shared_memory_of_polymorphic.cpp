// expect: an object with virtual functions can.t be shared
#include <freehold/interop/shared_memory.hpp>

struct object {
    virtual ~object() = default;
};

auto make(freehold::shared_memory::pool& pool) { return freehold::shared_memory::make_shared<object>(pool); }

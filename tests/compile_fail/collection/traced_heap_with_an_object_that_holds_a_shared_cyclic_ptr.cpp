// expect: does not follow the cyclic_ptr in this object
#include <freehold/collection/shared_cyclic_ptr.hpp>
#include <freehold/collection/traced_heap.hpp>

struct person {
    freehold::shared_cyclic_ptr<int> age;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }

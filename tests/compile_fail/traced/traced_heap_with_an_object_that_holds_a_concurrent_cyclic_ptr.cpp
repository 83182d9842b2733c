// expect: does not follow the cyclic_ptr in this object
#include <freehold/cyclic/concurrent_cyclic_ptr.hpp>
#include <freehold/traced/traced_heap.hpp>

struct person {
    freehold::concurrent_cyclic_ptr<int> age;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }

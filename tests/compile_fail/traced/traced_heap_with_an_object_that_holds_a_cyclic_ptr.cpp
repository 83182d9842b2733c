// expect: does not follow the cyclic_ptr in this object
// at most 46 lines: clang names each template on the way to the member.
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/traced/traced_heap.hpp>

struct person {
    freehold::traced_ptr<person> partner;
    freehold::cyclic_ptr<int> age;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }

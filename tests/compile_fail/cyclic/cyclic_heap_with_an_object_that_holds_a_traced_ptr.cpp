// expect: traced_ptr in an object of make_cyclic keeps nothing alive
// at most 46 lines: clang names each template on the way to the member.
#include <freehold/cyclic/cyclic_heap.hpp>
#include <freehold/traced/traced_heap.hpp>

struct person {
    freehold::traced_ptr<int> age;
};

void fill(freehold::cyclic_heap& heap) { static_cast<void>(heap.make<person>()); }

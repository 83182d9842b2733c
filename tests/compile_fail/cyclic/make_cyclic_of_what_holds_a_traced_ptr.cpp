// expect: traced_ptr in an object of make_cyclic keeps nothing alive
// at most 46 lines: clang names each template on the way to the member.
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/traced/traced_heap.hpp>

struct person {
    freehold::cyclic_ptr<person> partner;
    freehold::traced_ptr<int> age;
};

const auto made = freehold::make_cyclic<person>();

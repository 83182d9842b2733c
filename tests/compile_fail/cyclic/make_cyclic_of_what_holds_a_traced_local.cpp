// expect: a traced_local is for variables
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/traced/traced_heap.hpp>

struct person {
    freehold::traced_local<int> age;
};

const auto made = freehold::make_cyclic<person>();

// expect: a local is for variables
#include <freehold/collection/cyclic_ptr.hpp>
#include <freehold/collection/traced_heap.hpp>

struct person {
    freehold::local<int> age;
};

const auto made = freehold::make_cyclic<person>();

// expect: (same value_type|value_type must be same type)
#include <freehold/memory/pool_resource.hpp>
#include <freehold/memory/resource_allocator.hpp>
#include <list>

void fill(freehold::pool_resource& memory) {
    std::list<int, freehold::resource_allocator<double, freehold::pool_resource>> numbers(&memory);
    numbers.push_back(1);
}

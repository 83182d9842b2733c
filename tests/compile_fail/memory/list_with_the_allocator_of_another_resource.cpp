// expect: resource_allocator|no matching constructor
// at most 140 lines: the compiler lists all constructors.
#include <freehold/memory/monotonic_resource.hpp>
#include <freehold/memory/pool_resource.hpp>
#include <freehold/memory/resource_allocator.hpp>
#include <list>

void fill(freehold::monotonic_resource& memory) {
    std::list<int, freehold::resource_allocator<int, freehold::pool_resource>> numbers(&memory);
}

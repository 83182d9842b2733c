// expect: a local is for variables; in an object of a traced_heap hold a traced_ptr
#include <freehold/collection/traced_heap.hpp>
#include <vector>

struct person {
    std::vector<freehold::local<person>> friends;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }

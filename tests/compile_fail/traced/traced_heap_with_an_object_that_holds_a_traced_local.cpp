// expect: a traced_local is for variables
#include <freehold/traced/traced_heap.hpp>
#include <vector>

struct person {
    std::vector<freehold::traced_local<person>> friends;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }

// expect: a traced_local is for variables
// at most 44 lines: clang names each template on the way to the buffer.
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_vector.hpp>

struct person {
    freehold::traced_vector<freehold::traced_local<person>> friends;
};

void fill(freehold::traced_heap& heap) { heap.make<person>()->friends.push_back(heap.make<person>()); }

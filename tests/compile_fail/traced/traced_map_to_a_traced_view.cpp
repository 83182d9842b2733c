// expect: a traced_view in an object of a traced_heap keeps nothing alive
// at most 39 lines: clang names each template on the way to the buffer.
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_map.hpp>

struct person {
    freehold::traced_ptr<person> partner;
    freehold::traced_map<int, freehold::traced_view<person>> friends;
};

void fill(freehold::traced_heap& heap) { heap.make<person>()->friends[1] = heap.make<person>(); }

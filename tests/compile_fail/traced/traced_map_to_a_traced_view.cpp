// expect: a traced_view in an object of a traced_heap keeps nothing alive
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_map.hpp>

struct person {
    freehold::traced_ptr<person> partner;
    freehold::traced_map<int, freehold::traced_view<person>> friends;
};

void fill(freehold::traced_heap& heap) { heap.make<person>()->friends[1] = heap.make<person>(); }

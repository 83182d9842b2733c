// expect: a raw pointer in an object of a traced_heap keeps nothing alive
// at most 39 lines: clang names each template on the way to the buffer.
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_vector.hpp>

struct person {
    freehold::traced_ptr<person> partner;
    freehold::traced_vector<person*> friends;
};

void fill(freehold::traced_heap& heap) { heap.make<person>()->friends.push_back(heap.make<person>().get()); }

// expect: a raw pointer in an object of a traced_heap keeps nothing alive
#include <freehold/traced/traced_heap.hpp>

struct person {
    freehold::traced_ptr<person> partner;
    person* parent;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }

// expect: a traced_view in an object of a traced_heap keeps nothing alive
#include <freehold/traced/traced_heap.hpp>

struct person {
    freehold::traced_view<int> age;
    freehold::traced_ptr<person> partner;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }

// expect: an aggregate with a reference
#include <freehold/traced/traced_heap.hpp>

struct person {
    person& parent;
    freehold::traced_ptr<person> partner;
};

void fill(freehold::traced_heap& heap, person& parent) { static_cast<void>(heap.make<person>(parent, nullptr)); }

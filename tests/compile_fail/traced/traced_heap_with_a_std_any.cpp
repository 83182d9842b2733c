// expect: give it a member function trace
#include <any>
#include <freehold/traced/traced_heap.hpp>

struct person {
    std::any attribute;
    freehold::traced_ptr<person> partner;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }

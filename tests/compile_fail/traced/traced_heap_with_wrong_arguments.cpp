// expect: freehold: T has no public constructor that takes these arguments
#include <freehold/traced/traced_heap.hpp>

struct person {
    explicit person(int) {}
    void trace(auto& visit) const { visit(partner); }

    freehold::traced_ptr<person> partner;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>("here")); }

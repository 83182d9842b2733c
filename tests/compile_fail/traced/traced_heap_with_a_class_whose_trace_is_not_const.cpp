// expect: trace.visit. of this class is not const
#include <freehold/traced/traced_heap.hpp>

class person {
public:
    person() {}
    void trace(auto& visit) { visit(partner_); }

private:
    freehold::traced_ptr<person> partner_;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }

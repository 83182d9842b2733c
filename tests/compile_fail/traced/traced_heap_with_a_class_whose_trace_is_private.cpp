// expect: trace of this class is private
#include <freehold/traced/traced_heap.hpp>

class person {
public:
    person() {}

private:
    void trace(auto& visit) const { visit(partner_); }

    freehold::traced_ptr<person> partner_;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }

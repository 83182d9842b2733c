// expect: inherits its trace.visit., which does not visit them. declare one here
#include <freehold/traced/traced_heap.hpp>

class animal {
public:
    void trace(auto& visit) const { visit(parent_); }

private:
    freehold::traced_ptr<animal> parent_;
};

class person : public animal {
public:
    person() {}

private:
    freehold::traced_ptr<person> partner_;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }

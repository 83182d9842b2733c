// expect: has begin.., but does not say that its elements are all it holds
#include <freehold/traced/traced_heap.hpp>
#include <vector>

class person {
public:
    person() {}
    auto begin() const { return friends_.begin(); }
    auto end() const { return friends_.end(); }

private:
    std::vector<freehold::traced_ptr<person>> friends_;
    freehold::traced_ptr<person> partner_;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }

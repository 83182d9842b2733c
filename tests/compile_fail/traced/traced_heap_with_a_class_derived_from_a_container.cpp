// expect: derived from a container and adds members to it
#include <freehold/traced/traced_heap.hpp>
#include <vector>

class person : public std::vector<freehold::traced_ptr<person>> {
public:
    person() {}

private:
    freehold::traced_ptr<person> partner_;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }

// expect: would free what the traced_ptrs behind it point to
#include <freehold/traced/traced_heap.hpp>
#include <memory>
#include <vector>

struct person;

struct family {
    std::vector<freehold::traced_ptr<person>> members;
};

struct person {
    std::shared_ptr<family> relatives;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<person>()); }

// expect: give it a member function trace
#include <freehold/traced/traced_heap.hpp>
#include <functional>

struct callback {
    std::function<void()> call;
    freehold::traced_ptr<callback> next;
};

void fill(freehold::traced_heap& heap) { static_cast<void>(heap.make<callback>()); }

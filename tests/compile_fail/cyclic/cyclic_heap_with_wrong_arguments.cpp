// expect: freehold: T has no public constructor that takes these arguments
#include <freehold/cyclic/cyclic_heap.hpp>

struct node {
    explicit node(int) {}
    void trace(auto& visit) const { visit(next); }

    freehold::concurrent_cyclic_ptr<node> next;
};

void fill(freehold::cyclic_heap& heap) { static_cast<void>(heap.make<node>("here")); }

// expect: freehold: T has no public constructor that takes these arguments
#include <freehold/cyclic/cyclic_ptr.hpp>

struct node {
    explicit node(int) {}
    void trace(auto& visit) const { visit(next); }

    freehold::cyclic_ptr<node> next;
};

const auto made = freehold::make_cyclic<node>("here");

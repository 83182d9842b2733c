// expect: freehold: T has no public constructor that takes these arguments
#include <freehold/pointers/make_shared.hpp>

struct point {
    point(int, int) {}
};

auto made = freehold::allocate_shared<point>(std::allocator<point>(), "here");

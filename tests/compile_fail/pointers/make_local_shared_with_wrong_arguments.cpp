// expect: freehold: T has no public constructor that takes these arguments
#include <freehold/pointers/local_shared_ptr.hpp>

struct point {
    point(int, int) {}
};

auto made = freehold::make_local_shared<point>("here");

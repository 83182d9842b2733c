// expect: freehold: T has no public constructor that takes these arguments
#include <freehold/pointers/thin_ptr.hpp>

struct point {
    point(int, int) {}
};

auto made = freehold::make_thin<point>("here");

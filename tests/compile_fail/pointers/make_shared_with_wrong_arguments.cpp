// expect: freehold: T has no public constructor that takes these arguments
// As in an ordinary construction.
#include <freehold/pointers/make_shared.hpp>

struct point {
    point(int, int) {}
};

auto made = freehold::make_shared<point>("here");

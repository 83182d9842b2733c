// expect: no matching (function for call to .point::point|constructor for initialization of .point)
// As in an ordinary construction.
#include <freehold/pointers/make_shared.hpp>

struct point {
    point(int, int) {}
};

auto made = freehold::make_shared<point>("here");

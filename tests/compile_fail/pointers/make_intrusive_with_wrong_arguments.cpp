// expect: freehold: T has no public constructor that takes these arguments
#include <freehold/pointers/intrusive_ptr.hpp>
#include <freehold/pointers/ref_counted.hpp>

struct point : freehold::ref_counted<point> {
    point(int, int) {}
};

auto made = freehold::make_intrusive<point>("here");

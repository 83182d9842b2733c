// expect: freehold: T has no public constructor that takes these arguments
// A friend of the class could make one, but make_shared is none.
#include <freehold/pointers/make_shared.hpp>

class point {
public:
    static auto make() { return freehold::make_shared<point>(); }

private:
    point() = default;
};

auto made = point::make();

// expect: freehold: T must be complete where an object is made: include its definition
// Its definition was not included.
#include <freehold/pointers/make_shared.hpp>

struct declared;

auto make() { return freehold::make_shared<declared>(); }

// expect: (use of deleted function|call to deleted function)
#include <freehold/collection/local.hpp>

auto* const made = new freehold::local<int>;

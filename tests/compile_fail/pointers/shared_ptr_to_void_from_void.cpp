// expect: no matching (function|constructor)|array of .void
// at most 180 lines: the compiler lists all constructors.
// Nobody knows how to delete it.
#include <freehold/pointers/shared_ptr.hpp>

void own(void* memory) { freehold::shared_ptr<void> p(memory); }

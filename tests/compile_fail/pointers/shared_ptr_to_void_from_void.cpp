// expect: no matching (function|constructor)|array of .void
// Nobody knows how to delete it.
#include <freehold/pointers/shared_ptr.hpp>

void own(void* memory) { freehold::shared_ptr<void> p(memory); }

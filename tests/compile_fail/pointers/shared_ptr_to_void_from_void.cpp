// expect: deleted (function .*pointer_does_not_convert|constructor of)|array of .void
// Nobody knows how to delete it.
#include <freehold/pointers/shared_ptr.hpp>

void own(void* memory) { freehold::shared_ptr<void> p(memory); }

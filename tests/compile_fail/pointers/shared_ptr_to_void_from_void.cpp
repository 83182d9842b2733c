// expect: (use of deleted function .*|call to deleted constructor of .*)shared_ptr
// Nobody knows how to delete it.
#include <freehold/pointers/shared_ptr.hpp>

void own(void* memory) { freehold::shared_ptr<void> p(memory); }

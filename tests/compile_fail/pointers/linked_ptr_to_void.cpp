// expect: incomplete type|void type
// Nobody knows how to delete it.
#include <freehold/pointers/linked_ptr.hpp>

void own(void* memory) { freehold::linked_ptr<void> p(memory); }

// expect: freehold: out_ptr of a shared pointer needs a deleter
// at most 44 lines: std::out_ptr goes on after the first error.
#include <freehold/pointers/local_shared_ptr.hpp>

#include <memory>

void open(void** opened);

void use(freehold::local_shared_ptr<int>& p) { open(std::out_ptr<void*>(p)); }

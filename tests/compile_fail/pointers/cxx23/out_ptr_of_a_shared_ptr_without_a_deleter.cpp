// expect: freehold: out_ptr of a shared pointer needs a deleter
// The deleter that the pointer had would be replaced by delete.
#include <freehold/pointers/shared_ptr.hpp>

#include <memory>

void open(int** opened);

void use(freehold::shared_ptr<int>& p) { open(std::out_ptr(p)); }

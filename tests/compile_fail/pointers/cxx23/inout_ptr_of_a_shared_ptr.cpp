// expect: freehold: a shared pointer can't give its object up to inout_ptr
#include <freehold/pointers/shared_ptr.hpp>

#include <memory>

void replace(int** opened);
void give_back(int* opened);

void use(freehold::shared_ptr<int>& p) { replace(std::inout_ptr(p, give_back)); }

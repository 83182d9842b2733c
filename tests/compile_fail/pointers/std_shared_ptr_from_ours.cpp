// expect: (conversion from|no viable conversion from).*std
// at most 140 lines: the compiler lists all constructors.
#include <freehold/pointers/shared_ptr.hpp>
#include <memory>

void share(const freehold::shared_ptr<int>& object) { std::shared_ptr<int> p = object; }

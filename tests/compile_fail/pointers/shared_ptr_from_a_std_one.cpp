// expect: (conversion from|no viable conversion from).*std
// at most 50 lines: clang lists the constructors that do not convert.
#include <freehold/pointers/shared_ptr.hpp>
#include <memory>

void share(const std::shared_ptr<int>& object) { freehold::shared_ptr<int> p = object; }

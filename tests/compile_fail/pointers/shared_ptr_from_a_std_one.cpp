// expect: (conversion from|no viable conversion from).*std
#include <freehold/pointers/shared_ptr.hpp>
#include <memory>

void share(const std::shared_ptr<int>& object) { freehold::shared_ptr<int> p = object; }

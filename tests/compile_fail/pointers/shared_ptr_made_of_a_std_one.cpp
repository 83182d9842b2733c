// expect: deleted (function .*std_owners_cross_by_from_std_of_std_bridge|constructor of .*shared_ptr<int>)
#include <freehold/pointers/shared_ptr.hpp>
#include <memory>

void share(const std::shared_ptr<int>& object) { freehold::shared_ptr<int> p(object); }

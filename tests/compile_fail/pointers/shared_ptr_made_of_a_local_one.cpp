// expect: deleted (function .*counted_in_another_way_see_std_bridge|constructor of .*shared_ptr<int>)
#include <freehold/pointers/local_shared_ptr.hpp>

void share(const freehold::local_shared_ptr<int>& object) { freehold::shared_ptr<int> p(object); }

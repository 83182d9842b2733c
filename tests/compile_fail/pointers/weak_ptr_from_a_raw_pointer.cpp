// expect: no matching (function for call to|constructor for).*weak_ptr<int>
// Only what is owned can be observed.
#include <freehold/pointers/weak_ptr.hpp>

void observe(int* object) { freehold::weak_ptr<int> observer(object); }

// expect: (no matching function|no matching constructor|private)
#include <freehold/cyclic/cyclic_ptr.hpp>

freehold::cyclic_ptr<int> p(new int);

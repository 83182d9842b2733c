// expect: cannot convert|no viable conversion
// Or pointers could be added.
#include <freehold/pointers/shared_ptr.hpp>

bool owns(const freehold::shared_ptr<int>& p) {
    const bool result = p;
    return result;
}

// expect: could not convert|no viable conversion
// at most 46 lines: clang explains why each constructor is not one for this.
// The last owner destroys the object as its own type, which a handle to the base does not know.
#include <freehold/interop/shared_memory.hpp>

struct base {};
struct derived : base {};

freehold::shared_memory::shared_ptr<base> convert(const freehold::shared_memory::shared_ptr<derived>& owner) {
    return owner;
}

// expect: no matching (function for call|conversion for functional-style cast)
// at most 52 lines: the compiler explains why each constructor is not one for this.
#include <freehold/traced/traced_ptr.hpp>

struct base {};
struct derived : base {};

freehold::traced_ptr<derived> narrow(const freehold::traced_ptr<base>& wide) {
    return freehold::traced_ptr<derived>(wide);
}

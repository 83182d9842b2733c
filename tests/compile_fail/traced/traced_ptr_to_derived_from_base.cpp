// expect: no matching (function for call|conversion for functional-style cast)
#include <freehold/traced/traced_ptr.hpp>

struct base {};
struct derived : base {};

freehold::traced_ptr<derived> narrow(const freehold::traced_ptr<base>& wide) {
    return freehold::traced_ptr<derived>(wide);
}

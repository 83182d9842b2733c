// expect: no matching (function for call to|constructor for).*shared_ptr<int>
// at most 180 lines: the compiler lists all constructors.
// The deleter is called with the pointer.
#include <freehold/pointers/shared_ptr.hpp>

struct deleter {
    void operator()(const char*) const;
};

void own(int* object) { freehold::shared_ptr<int> p(object, deleter()); }

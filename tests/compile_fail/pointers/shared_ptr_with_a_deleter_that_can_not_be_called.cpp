// expect: (use of deleted function .*|call to deleted constructor of .*)shared_ptr
// The deleter is called with the pointer.
#include <freehold/pointers/shared_ptr.hpp>

struct deleter {
    void operator()(const char*) const;
};

void own(int* object) { freehold::shared_ptr<int> p(object, deleter()); }

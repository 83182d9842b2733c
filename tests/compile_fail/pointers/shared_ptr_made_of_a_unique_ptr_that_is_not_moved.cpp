// expect: deleted (function .*unique_ptr_is_not_moved|constructor of .*shared_ptr<int>)
// A unique_ptr gives up what it owns only where it is moved.
#include <freehold/pointers/shared_ptr.hpp>

#include <memory>

void own(std::unique_ptr<int>& object) { freehold::shared_ptr<int> p(object); }

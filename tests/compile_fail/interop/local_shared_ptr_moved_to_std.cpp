// expect: a local_shared_ptr does not cross to std
// Any thread may release the last std::shared_ptr.
#include <freehold/interop/std_bridge.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>

std::shared_ptr<int> cross(freehold::local_shared_ptr<int> owner) { return freehold::to_std(std::move(owner)); }

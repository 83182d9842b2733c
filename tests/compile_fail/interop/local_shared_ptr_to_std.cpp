// expect: a local_shared_ptr does not cross to std
// Any thread may release the last std::shared_ptr.
#include <freehold/interop/std_bridge.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>

void cross(const freehold::local_shared_ptr<int>& owner) { static_cast<void>(freehold::to_std(owner)); }

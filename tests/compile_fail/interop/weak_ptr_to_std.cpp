// expect: a weak_ptr does not cross to std: lock[(][)] it first
// No owner would keep the block that it would refer to.
#include <freehold/interop/std_bridge.hpp>

void cross(const freehold::weak_ptr<int>& weak) { static_cast<void>(freehold::to_std(weak)); }

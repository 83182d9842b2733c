// expect: a std::weak_ptr does not cross: lock[(][)] it first
// No owner would keep the block that it would refer to.
#include <freehold/interop/std_bridge.hpp>

void cross(const std::weak_ptr<int>& weak) { static_cast<void>(freehold::from_std(weak)); }

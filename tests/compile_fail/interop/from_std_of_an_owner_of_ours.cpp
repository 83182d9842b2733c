// expect: no matching function for call to .(freehold::)?from_std
// The wrong direction.
#include <freehold/interop/std_bridge.hpp>

void cross(const freehold::shared_ptr<int>& owner) { static_cast<void>(freehold::from_std(owner)); }

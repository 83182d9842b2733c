#pragma once
// reclamation_limits: how much that was retired may wait for its deleter. set_hazard_pointer_limits() and
// set_rcu_limits() take it (hazard_pointer.hpp, rcu_domain.hpp).

#include <cstddef>

namespace freehold {

// At most `objects`, and `bytes` of these objects themselves, are retired and not yet deleted in the process, besides
// what readers protect and what those headers except. Fewer objects stay in the cache until their memory is used again,
// and take more fences: one for each 4/9 of them (docs/reclamation/reclamation_limits.md has the price).
// `objects` is at least 144 and at most 64,512: another number is taken for the nearest. An object of more than
// bytes / objects bytes counts once for each. One that is larger than 4/9 of `bytes` counts as this much.
struct reclamation_limits {
    std::size_t objects = 9'216;
    std::size_t bytes = 2'359'296;  // 256 for each object
};

}  // namespace freehold

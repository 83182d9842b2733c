#pragma once
// Ids of resources, by which a thread finds the heap that it used last.

#include <cstdint>

#include "../../core/unique_id.hpp"

namespace freehold::detail {

inline constexpr std::uint64_t process_pool_id = 0;  // of the one pool that is never destroyed
inline constexpr std::uint64_t no_resource_id = 1;   // of a pool that no thread has used yet

static_assert(no_resource_id <= unique_ids::counter_mask, "no pool has an id that another one could get");

}  // namespace freehold::detail

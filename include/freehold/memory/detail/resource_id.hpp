#pragma once
// Ids of resources and threads, which nobody else had or will have in this process.

#include <atomic>
#include <cstdint>

namespace freehold::detail {

inline constexpr std::uint64_t process_pool_id = 0;  // of the one pool that is never destroyed

inline constinit std::atomic<std::uint64_t> last_resource_id{process_pool_id};

// Returns: an id that was never returned before. It is not that of the process's pool.
[[nodiscard]] inline std::uint64_t next_resource_id() noexcept {
    // relaxed: the ids differ, in whatever order
    return last_resource_id.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace freehold::detail

#pragma once
// Where resources take memory from when they are given no upstream.

#include <memory_resource>

#include "../page_cache.hpp"

namespace freehold::detail {

// Returns: the default resource that the program has set, or the shared page cache if it has set none: fresh pages from
// operator new would be the greater part of what a resource costs that lives shortly.
[[nodiscard]] inline std::pmr::memory_resource* default_upstream() noexcept {
    std::pmr::memory_resource* const chosen = std::pmr::get_default_resource();
    return chosen != std::pmr::new_delete_resource() ? chosen : &page_cache::shared();
}

}  // namespace freehold::detail

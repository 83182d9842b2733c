#pragma once
// The default upstream of a resource, and what depends on whether it is the shared page cache.

#include <cstddef>
#include <memory_resource>

#include "../../core/exceptions.hpp"
#include "../page_cache.hpp"

namespace freehold::inline v0_2::detail {

// Returns: the default resource if the program has set one, else the shared page cache: fresh pages from operator new
// would be most of the cost of a short-lived resource.
[[nodiscard]] inline std::pmr::memory_resource* default_upstream() noexcept {
    std::pmr::memory_resource* const chosen = std::pmr::get_default_resource();
    return chosen != std::pmr::new_delete_resource() ? chosen : &page_cache::shared();
}

// Effects: trims the upstream if it is the shared page cache.
inline void trim_shared_cache(const std::pmr::memory_resource* upstream) noexcept {
    if (upstream == &page_cache::shared()) page_cache::shared().trim();
}

// An upstream that returns null where the other one throws: without throwing if that is the shared page cache.
class quiet_upstream {
public:
    explicit quiet_upstream(std::pmr::memory_resource& upstream) noexcept : upstream_(upstream) {}

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
        if (&upstream_ == &page_cache::shared()) return page_cache::shared().try_allocate(bytes, alignment);
        return detail::try_allocate(upstream_, bytes, alignment);
    }

    void deallocate(void* memory, std::size_t bytes, std::size_t alignment) noexcept {
        upstream_.deallocate(memory, bytes, alignment);
    }

private:
    std::pmr::memory_resource& upstream_;
};

}  // namespace freehold::detail

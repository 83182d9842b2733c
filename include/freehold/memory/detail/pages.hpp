#pragma once
// Pages for the slabs of pools: before the system has none, what is idle in the page cache of the process goes back.

#include <atomic>
#include <cstddef>
#include <cstdlib>

#include "../../core/memcheck.hpp"
#include "../../core/platform/pages.hpp"

namespace freehold::inline v0_2::detail {

// Gives back what is idle in the page cache of the process, once there is one. Returns: whether there was any.
inline constinit std::atomic<bool (*)() noexcept> give_back_idle_pages = nullptr;

// Returns: as take_aligned_pages, but registered.
[[nodiscard]] inline void* map_pages(std::size_t bytes, std::size_t alignment) noexcept {
    if (is_memcheck()) return take_tracked(bytes, alignment);
    void* mapped = take_aligned_pages(bytes, alignment);
    if (mapped == nullptr) [[unlikely]] {
        // relaxed: the function finds the cache through page_cache::shared(), which orders its initialization
        auto* const give_back = give_back_idle_pages.load(std::memory_order_relaxed);
        if (give_back != nullptr && give_back()) mapped = take_aligned_pages(bytes, alignment);
    }
    if (mapped != nullptr) register_pages(mapped, bytes);
    return mapped;
}

// Effects: gives the pages back to the system. Requires: they are the result of one call of map_pages.
inline void unmap_pages(void* begin, std::size_t bytes) noexcept {
    if (is_memcheck()) return std::free(begin);
    unregister_pages(begin, bytes);
    give_back_pages(begin, bytes);
}

}  // namespace freehold::detail

#pragma once
// An allocation from a resource that may fail without consequence.

#include <cstddef>
#include <memory_resource>

namespace freehold::detail {

// Returns: `bytes` bytes from the resource, or a null pointer where it throws.
[[nodiscard]] inline void* try_allocate(std::pmr::memory_resource& resource, std::size_t bytes,
                                        std::size_t alignment) noexcept {
#ifdef __cpp_exceptions
    try {
        return resource.allocate(bytes, alignment);
    } catch (...) {
        return nullptr;
    }
#else
    return resource.allocate(bytes, alignment);
#endif
}

}  // namespace freehold::detail

#pragma once
// An allocation from a resource that may fail without consequence.

#include <cstddef>

namespace freehold::detail {

// Returns: `bytes` bytes from the resource, or a null pointer where it throws.
template <class Resource>
[[nodiscard]] void* try_allocate(Resource& resource, std::size_t bytes, std::size_t alignment) noexcept {
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

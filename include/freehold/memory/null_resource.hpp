#pragma once
// null_resource: a memory resource without memory. As an upstream it turns the end of a buffer into an exception.
//
// Thread safety: any thread may call any function. Exceptions: allocate always throws std::bad_alloc.
// Cost: stateless.

#include <cstddef>
#include <new>

#include "../core/exceptions.hpp"
#include "detail/chained_resource.hpp"

namespace freehold::inline v0_2 {

class null_resource final : public detail::basic_resource<null_resource> {
public:
    // Throws: std::bad_alloc, always.
    [[nodiscard, noreturn]] static void* allocate(std::size_t /*bytes*/, std::size_t /*alignment*/ = 1) {
        detail::raise<std::bad_alloc>();
    }

    // Returns: null.
    [[nodiscard]] static void* try_allocate(std::size_t /*bytes*/, std::size_t /*alignment*/ = 1) noexcept {
        return nullptr;
    }

    // Effects: none; there are no blocks.
    static void deallocate(void* /*block*/, std::size_t /*bytes*/, std::size_t /*alignment*/ = 1) noexcept {}
};

}  // namespace freehold

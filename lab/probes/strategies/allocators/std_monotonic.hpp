#pragma once
// std::pmr::monotonic_buffer_resource, its chunks from operator new.

#include "../../memory_strategy.hpp"
#include "../peers/standard_library.hpp"

namespace lab {

struct monotonic_in_buffer : std::pmr::monotonic_buffer_resource {
    monotonic_in_buffer(void* buffer, std::size_t bytes)
        : monotonic_buffer_resource(buffer, bytes, std::pmr::null_memory_resource()) {}
};

struct strategy : allocating {
    static constexpr auto library = standard_library;
    static constexpr bool reuses = false;
    static constexpr bool winks_out = true;
    using arena = polymorphic_arena<std::pmr::monotonic_buffer_resource>;
    using buffer_arena = polymorphic_arena<monotonic_in_buffer>;
};

}  // namespace lab

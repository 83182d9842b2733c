#pragma once
// std::pmr::monotonic_buffer_resource in a buffer that takes all.

#include "../../memory_strategy.hpp"
#include "../peers/standard_library.hpp"

namespace lab {

struct monotonic_in_large_buffer : std::pmr::monotonic_buffer_resource {
    monotonic_in_large_buffer() : monotonic_buffer_resource(large_buffer, sizeof(large_buffer)) {}
};

struct strategy : allocating {
    static constexpr auto library = standard_library;
    static constexpr bool reuses = false;
    static constexpr bool winks_out = true;
    using arena = polymorphic_arena<monotonic_in_large_buffer>;
};

}  // namespace lab

#pragma once
// monotonic_resource in a buffer that takes all.

#include <freehold/memory/monotonic_resource.hpp>

#include "../../memory_strategy.hpp"
#include "../freehold_library.hpp"
#include "typed_arena.hpp"

namespace lab {

struct arena_in_large_buffer : typed_arena<freehold::monotonic_resource> {
    arena_in_large_buffer() : typed_arena(large_buffer, sizeof(large_buffer)) {}
};

struct strategy : allocating {
    static constexpr auto library = freehold_library;
    static constexpr bool reuses = false;
    static constexpr bool winks_out = true;
    using arena = arena_in_large_buffer;
};

}  // namespace lab

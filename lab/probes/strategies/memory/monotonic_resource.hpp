#pragma once
// monotonic_resource, its chunks from the shared page cache.

#include <freehold/memory/monotonic_resource.hpp>
#include <freehold/memory/null_resource.hpp>

#include "../../memory_strategy.hpp"
#include "../freehold_library.hpp"
#include "from_page_cache.hpp"
#include "typed_arena.hpp"

namespace lab {

inline freehold::null_resource no_more;

struct arena_in_buffer : typed_arena<freehold::monotonic_resource> {
    arena_in_buffer(void* buffer, std::size_t bytes) : typed_arena(buffer, bytes, &no_more) {}
};

struct strategy : from_page_cache {
    static constexpr auto library = freehold_library;
    static constexpr bool reuses = false;
    static constexpr bool winks_out = true;
    using arena = typed_arena<freehold::monotonic_resource>;
    using buffer_arena = arena_in_buffer;
};

}  // namespace lab

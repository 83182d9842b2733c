#pragma once
// concurrent_monotonic_resource by its own type, its chunks from the shared page cache.

#include <freehold/memory/concurrent_monotonic_resource.hpp>

#include "../../memory_strategy.hpp"
#include "../freehold_library.hpp"
#include "from_page_cache.hpp"
#include "typed_arena.hpp"

namespace lab {

struct strategy : from_page_cache {
    static constexpr auto library = freehold_library;
    static constexpr bool reuses = false;
    static constexpr bool winks_out = true;
    using arena = typed_arena<freehold::concurrent_monotonic_resource>;
};

}  // namespace lab

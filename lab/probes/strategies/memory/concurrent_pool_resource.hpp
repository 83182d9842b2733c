#pragma once
// concurrent_pool_resource by its own type.

#include <freehold/memory/concurrent_pool_resource.hpp>

#include "../../memory_strategy.hpp"
#include "../freehold_library.hpp"
#include "from_page_cache.hpp"
#include "typed_arena.hpp"

namespace lab {

struct strategy : from_page_cache {
    static constexpr auto library = freehold_library;
    static constexpr bool winks_out = true;
    using arena = typed_arena<freehold::concurrent_pool_resource>;
};

}  // namespace lab

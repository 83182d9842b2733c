#pragma once
// region_resource: blocks are marked, and found again by a sweep.

#include <freehold/memory/region_resource.hpp>

#include "../../memory_strategy.hpp"
#include "../freehold_library.hpp"
#include "from_page_cache.hpp"
#include "typed_arena.hpp"

namespace lab {

struct strategy : from_page_cache {
    static constexpr auto library = freehold_library;
    static constexpr bool winks_out = true;
    using arena = typed_arena<freehold::region_resource>;
};

}  // namespace lab

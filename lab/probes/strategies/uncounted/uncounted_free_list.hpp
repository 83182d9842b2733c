#pragma once
// A free list: pool_resource, whose blocks are freed one by one and reused last in first out.

#include <freehold/memory/pool_resource.hpp>

#include "../../uncounted_strategy.hpp"
#include "../freehold_library.hpp"
#include "../memory/from_page_cache.hpp"
#include "../memory/typed_arena.hpp"

namespace lab {

struct strategy : from_page_cache, uncounted {
    static constexpr auto library = freehold_library;
    static constexpr bool in_any_order = true;
    using arena = typed_arena<freehold::pool_resource>;
};

}  // namespace lab

#pragma once
// A marked region: region_resource, where a cell that dies loses its mark, and a sweep finds it when enough has been
// allocated. The article's "region 12".

#include <freehold/memory/region_resource.hpp>

#include "../../uncounted_strategy.hpp"
#include "../freehold_library.hpp"
#include "../memory/from_page_cache.hpp"
#include "../memory/typed_arena.hpp"

namespace lab {

struct strategy : from_page_cache, uncounted {
    static constexpr auto library = freehold_library;
    using arena = typed_arena<freehold::region_resource>;
};

}  // namespace lab

#pragma once
// A region that is released when the game is over: nothing is freed before.

#include <freehold/memory/monotonic_resource.hpp>

#include "../../uncounted_strategy.hpp"
#include "../freehold_library.hpp"
#include "../memory/from_page_cache.hpp"
#include "../memory/typed_arena.hpp"

namespace lab {

struct strategy : from_page_cache, uncounted {
    static constexpr auto library = freehold_library;
    using arena = typed_arena<freehold::monotonic_resource>;
    static constexpr bool frees = false;
};

}  // namespace lab

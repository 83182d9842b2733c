#pragma once
// A free list in runs: run_length_resource keeps free neighbors together.

#include <freehold/memory/run_length_resource.hpp>

#include "../../uncounted_strategy.hpp"
#include "../freehold_library.hpp"
#include "../memory/from_page_cache.hpp"
#include "../memory/typed_arena.hpp"

namespace lab {

struct strategy : from_page_cache, uncounted {
    static constexpr auto library = freehold_library;
    using arena = typed_arena<freehold::run_length_resource>;
};

}  // namespace lab

#pragma once
// stack_resource: the block that was allocated last is freed first.

#include <freehold/memory/stack_resource.hpp>

#include "../../memory_strategy.hpp"
#include "../freehold_library.hpp"
#include "from_page_cache.hpp"
#include "typed_arena.hpp"

namespace lab {

struct strategy : from_page_cache {
    static constexpr auto library = freehold_library;
    static constexpr bool winks_out = true;
    using arena = typed_arena<freehold::stack_resource>;
};

}  // namespace lab

#pragma once
// run_length_resource: free neighbors are kept as runs.

#include <freehold/memory/run_length_resource.hpp>

#include "../../memory_strategy.hpp"
#include "../freehold_library.hpp"
#include "from_page_cache.hpp"
#include "typed_arena.hpp"

namespace lab {

struct strategy : from_page_cache {
    static constexpr auto library = freehold_library;
    static constexpr bool winks_out = true;
    using arena = typed_arena<freehold::run_length_resource>;
};

}  // namespace lab

#pragma once
// A stack from which cells are popped one by one: they die in the reverse order of their allocation.

#include <freehold/memory/stack_resource.hpp>

#include "../../uncounted_strategy.hpp"
#include "../freehold_library.hpp"
#include "../memory/from_page_cache.hpp"
#include "../memory/typed_arena.hpp"

namespace lab {

struct strategy : from_page_cache, uncounted {
    static constexpr auto library = freehold_library;
    using arena = typed_arena<freehold::stack_resource>;
};

}  // namespace lab

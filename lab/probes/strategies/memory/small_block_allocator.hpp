#pragma once
// small_block_allocator: where control blocks come from.

#include <freehold/memory/small_block_allocator.hpp>

#include "../../memory_strategy.hpp"
#include "../freehold_library.hpp"

namespace lab {

struct strategy : allocating {
    static constexpr auto library = freehold_library;
    using arena = common_arena<freehold::small_block_allocator>;
};

}  // namespace lab

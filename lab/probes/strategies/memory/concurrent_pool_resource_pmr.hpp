#pragma once
// concurrent_pool_resource behind the virtual calls of std::pmr.

#include <freehold/memory/concurrent_pool_resource.hpp>

#include "../../memory_strategy.hpp"
#include "../freehold_library.hpp"

namespace lab {

struct strategy : allocating {
    static constexpr auto library = freehold_library;
    static constexpr bool winks_out = true;
    using arena = polymorphic_arena<freehold::concurrent_pool_resource>;
};

}  // namespace lab

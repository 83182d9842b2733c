#pragma once
// concurrent_pool_resource behind the virtual calls of std::pmr.

#include <freehold/memory/concurrent_pool_resource.hpp>

#include "../../memory_strategy.hpp"
#include "../freehold_library.hpp"
#include "from_page_cache.hpp"

namespace lab {

struct strategy : from_page_cache {
    static constexpr auto library = freehold_library;
    static constexpr bool winks_out = true;
    using arena = polymorphic_arena<freehold::concurrent_pool_resource>;
};

}  // namespace lab

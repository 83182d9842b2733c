#pragma once
// std::allocator, where the program is linked with jemalloc instead of the C library's malloc.

#include <jemalloc/jemalloc.h>

#include "../../memory_strategy.hpp"

namespace lab {

struct strategy : allocating {
    static constexpr auto library = "jemalloc " JEMALLOC_VERSION;
    using arena = common_arena<std::allocator>;
};

}  // namespace lab

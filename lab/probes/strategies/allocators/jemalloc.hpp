#pragma once
// std::allocator, where the program is linked with jemalloc instead of the C library's malloc.

#include <jemalloc/jemalloc.h>

#include "../../memory_strategy.hpp"
#include "whose_malloc.hpp"

namespace lab {

struct strategy : allocating {
    static inline const std::string library = with_malloc("jemalloc " JEMALLOC_VERSION);
    using arena = common_arena<std::allocator>;
};

}  // namespace lab
